// Tiles of 32 with a column that nobody uses.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 32;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T + 1];
  __shared__ float b[T][T + 1];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    b[y][x] = column < n && first + y < k ? B[(first + y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
