// Pairwise summation by recursion.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

__device__ float dot(const float* a, const float* b, int stride, int count) {
  if (count == 1) return *a * *b;
  const int half = count / 2;
  return dot(a, b, stride, half) + dot(a + half, b + half * stride, stride, count - half);
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < m && column < n) C[row * n + column] = dot(A + row * k, B + column, n, k);
}
