#include "launch_shape.cuh"
#define LIST16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
LAUNCH_SHAPE(32, 32, 32, 32)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float kept[160];
#pragma unroll
  for (int i = 0; i < 160; ++i) kept[i] = A[(row * k + i) % (m * k)];
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum += A[row * k + i] * B[i * n + column];
#pragma unroll
    for (int j = 0; j < 160; ++j) kept[j] = kept[j] * sum + kept[(j + 1) % 160];
  }
#pragma unroll
  for (int i = 0; i < 160; ++i) sum += kept[i] * 0.0f;
  C[row * n + column] = sum;
}
