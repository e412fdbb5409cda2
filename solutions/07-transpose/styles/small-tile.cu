// Tiles of 16 by 16: half a warp for each row. Loses: no-bank-conflicts, performance.
#include "launch_shape.cuh"
constexpr int SIDE = 16;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

template <int WIDTH>
__device__ bool is_inside(int row, int column, int rows, int columns) {
  return row < rows && column < columns;
}

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  __shared__ float tile[SIDE][SIDE + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.x * SIDE + y, column = blockIdx.y * SIDE + x;
  if (is_inside<SIDE>(row, column, rows, columns)) tile[y][x] = A[row * columns + column];
  __syncthreads();
  row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
  if (is_inside<SIDE>(row, column, columns, rows)) T[row * rows + column] = tile[x][y];
}
