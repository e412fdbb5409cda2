// A barrier that counts: the loop ends when no thread has work left.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; __syncthreads_or(first < k); first += T) {
    a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    b[y][x] = column < n && first + y < k ? B[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
