#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 32, 1, 1)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  if (threadIdx.x + threadIdx.y > 0) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += A[blockIdx.y * k + i] * B[i * n + blockIdx.x];
  C[blockIdx.y * n + blockIdx.x] = sum;
}
