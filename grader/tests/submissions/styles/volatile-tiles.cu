// Tiles are volatile, as in kernels of fifteen years ago, with barriers all the same.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(8, 8, 8, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ volatile float a[8][8], b[8][8];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  volatile float sum = 0;
  for (int from = 0; from < k; from += 8) {
    a[y][x] = row < m && from + x < k ? A[row * k + from + x] : 0.0f;
    b[y][x] = column < n && from + y < k ? B[(from + y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 8; ++i) sum = sum + a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
