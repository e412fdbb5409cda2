#include "launch_shape.cuh"

LAUNCH_SHAPE(32, 32, 32, 32)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  unsigned x = blockIdx.x * 32 + threadIdx.x;
  unsigned y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < m) {
    float sum = 0;
    for (unsigned i = 0; i < k; i++) sum += A[y * k + i] * B[i * n + x];
    C[y * n + x] = sum;
  }
}
