// Half of the threads only help to load.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(2 * T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x % T, y = threadIdx.y;
  const bool helper = threadIdx.x >= T;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    if (helper)
      b[y][x] = first + y < k && column < n ? B[(first + y) * n + column] : 0.0f;
    else
      a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    __syncthreads();
    for (int i = 0; !helper && i < T; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (!helper && row < m && column < n) C[row * n + column] = sum;
}
