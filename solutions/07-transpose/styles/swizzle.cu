// A square tile without padding: the column is exclusive-or'ed with the row, so that banks differ.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 32)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, top = blockIdx.x * 32, left = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (top + y < rows && left + x < columns) tile[y][x ^ y] = A[(top + y) * columns + left + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (left + y < columns && top + x < rows) T[(left + y) * rows + top + x] = tile[x][y ^ x];
}
