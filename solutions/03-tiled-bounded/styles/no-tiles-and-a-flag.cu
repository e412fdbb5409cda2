// No tiles: threads outside have no products to add. Loses: performance, reuse.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockDim.y * blockIdx.y + threadIdx.y;
  int col = blockDim.x * blockIdx.x + threadIdx.x;
  bool inside = row < m && col < n;
  int products = inside ? k : 0;
  float sum = 0.0f;
  for (int i = 0; i < products; ++i) sum += A[row * k + i] * B[i * n + col];
  if (inside) C[row * n + col] = sum;
}
