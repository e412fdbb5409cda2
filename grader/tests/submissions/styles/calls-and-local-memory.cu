// A function that is really called, and an array with a computed index.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

__device__ __noinline__ float dot(const float* a, const float* b, int stride, int count) {
  float sums[8];
  for (int s = 0; s < 8; ++s) sums[s] = 0.0f;
#pragma unroll 1
  for (int i = 0; i < count; ++i) sums[(i * 5) & 7] += a[i] * b[i * stride];
  float total = 0.0f;
#pragma unroll 1
  for (int s = 0; s < 8; ++s) total += sums[s];
  return total;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < m && column < n) C[row * n + column] = dot(A + row * k, B + column, n, k);
}
