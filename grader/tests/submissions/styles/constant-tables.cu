// Which element a thread loads stands in a table in constant memory.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(64, 1, 8, 8)

__constant__ unsigned char row_of[64] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2,
                                         2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5,
                                         5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7};
__constant__ int step[8] = {3, 4, 5, 6, 7, 0, 1, 2};  // from each depth of the tile to the next one

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[8][8], b[8][8];
  const int y = row_of[threadIdx.x], x = threadIdx.x - 8 * y;
  const int row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float sum = 0;
  for (int from = 0; from < k; from += 8) {
    a[y][x] = row < m && from + x < k ? A[row * k + from + x] : 0.0f;
    b[y][x] = column < n && from + y < k ? B[(from + y) * n + column] : 0.0f;
    __syncthreads();
    for (int turn = 0, i = 0; turn < 8; ++turn, i = step[i]) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
