// A tall tile: each thread keeps four rows.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 32, ROWS = 4;
LAUNCH_SHAPE(T, T / ROWS, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, column = blockIdx.x * T + x;
  float sums[ROWS] = {};
  for (int first = 0; first < k; first += T) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int y = threadIdx.y + r * (T / ROWS), row = blockIdx.y * T + y;
      a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
      b[y][x] = column < n && first + y < k ? B[(first + y) * n + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < T; ++i)
#pragma unroll
      for (int r = 0; r < ROWS; ++r) sums[r] += a[threadIdx.y + r * (T / ROWS)][i] * b[i][x];
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r) {
    const int row = blockIdx.y * T + threadIdx.y + r * (T / ROWS);
    if (row < m && column < n) C[row * n + column] = sums[r];
  }
}
