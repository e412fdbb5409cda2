// The tile of A lies on its side.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T + 1], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int phase = 0; phase * T < k; phase++) {
    const int i = phase * T;
    a[x][y] = (row < m && i + x < k) ? A[row * k + i + x] : 0.f;
    b[y][x] = (column < n && i + y < k) ? B[(i + y) * n + column] : 0.f;
    __syncthreads();
    for (int j = 0; j < T && i + j < k; ++j) sum += a[j][y] * b[j][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
