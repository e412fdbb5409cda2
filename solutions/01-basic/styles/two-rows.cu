// A thread has two elements of one column, so that it reads each element of B once for both.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 8, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int column = blockIdx.x * 16 + threadIdx.x, upper = blockIdx.y * 16 + threadIdx.y, lower = upper + 8;
  if (column >= n) return;
  float sums[2] = {0.0f, 0.0f};
  for (int depth = 0; depth < k; ++depth) {
    const float b = B[depth * n + column];
    if (upper < m) sums[0] += A[upper * k + depth] * b;
    if (lower < m) sums[1] += A[lower * k + depth] * b;
  }
  if (upper < m) C[upper * n + column] = sums[0];
  if (lower < m) C[lower * n + column] = sums[1];
}
