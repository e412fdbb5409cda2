// One thread for each element: no loop, and no early return before the barrier. Loses: performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 32, 32, 32)

extern "C" __global__ void transpose(const float* __restrict__ A, float* __restrict__ T, int rows, int columns) {
  __shared__ float tile[32][33];
  int row = blockIdx.x * blockDim.x + threadIdx.y;
  int column = blockIdx.y * blockDim.y + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = __ldg(&A[row * columns + column]);
  __syncthreads();
  row = blockIdx.y * blockDim.y + threadIdx.y;
  column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= columns || column >= rows) return;
  T[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
