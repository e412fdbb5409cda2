// sgemm, one output per thread for now
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  int row = blockIdx.y * 8 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = alpha * sum + beta * C[row * n + col];
  }
}
