// Keeps the sum in C itself: a thread reads what it has written.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  C[row * n + column] = 0.0f;
  for (int i = 0; i < k; ++i) C[row * n + column] += A[row * k + i] * B[i * n + column];
}
