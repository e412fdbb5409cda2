// No tiles: each thread reads its row and its column from global memory. Loses: performance, reuse.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y;
  int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < k; i++) sum += A[row * k + i] * B[i * n + col];
  C[row * n + col] = sum;
}
