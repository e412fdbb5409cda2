#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
// A block has a thread for each element of C that it computes.
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  // i is the row, j is the column
  int i = threadIdx.y + blockDim.y * blockIdx.y;
  int j = threadIdx.x + blockDim.x * blockIdx.x;

  if (!(i < m && j < n)) return;

  // sum directly in C
  C[i * n + j] = 0;
  for (int l = 0; l < k; l++) {
    C[i * n + j] += A[i * k + l] * B[l * n + j];
  }
}
