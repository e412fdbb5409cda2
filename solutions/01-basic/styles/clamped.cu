// Threads outside compute the nearest element, too, and do not store it.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  int near_row = min(row, m - 1), near_col = min(col, n - 1);
  float dot = 0.0f;
  for (int i = 0; i < k; ++i) dot += A[near_row * k + i] * B[i * n + near_col];
  if (row < m && col < n) C[row * n + col] = dot;
}
