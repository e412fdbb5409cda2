// Tiles filled by asynchronous copies.
// Fits: any size.
#include "launch_shape.cuh"
#include <cuda_pipeline.h>
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    if (row < m && first + x < k)
      __pipeline_memcpy_async(&a[y][x], &A[row * k + first + x], sizeof(float));
    else
      a[y][x] = 0.0f;
    if (column < n && first + y < k)
      __pipeline_memcpy_async(&b[y][x], &B[(first + y) * n + column], sizeof(float));
    else
      b[y][x] = 0.0f;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
