#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

// index into a row-major matrix with the given number of columns
__device__ int at(int row, int col, int columns) { return row * columns + col; }

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;

  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    // row i of B
    sum += A[at(row, i, k)] * B[at(i, col, k)];
  }
  C[at(row, col, n)] = sum;
}
