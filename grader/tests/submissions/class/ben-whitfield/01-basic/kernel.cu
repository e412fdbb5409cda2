#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * BLOCK_WIDTH + threadIdx.y;
  const int column = blockIdx.x * BLOCK_WIDTH + threadIdx.x;

  if (row < m && column < n) {
    float value = 0;
    for (int i = 0; i < k; ++i) {
      float a = A[row * k + i];
      float b = B[i * n + column];
      value += a * b;
    }
    C[row * n + column] = value;
  }
}
