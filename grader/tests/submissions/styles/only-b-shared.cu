// Only the tile of B goes through shared memory.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float b[T][T];
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    const int depth = first + threadIdx.y;
    if (column < n && depth < k) b[threadIdx.y][threadIdx.x] = B[depth * n + column];
    __syncthreads();
    if (row < m && column < n)
      for (int i = 0; i < min(T, k - first); ++i) sum += A[row * k + first + i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
