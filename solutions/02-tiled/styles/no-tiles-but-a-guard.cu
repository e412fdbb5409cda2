// No tiles, and a guard as if sizes were no multiples of the block. Loses: performance, reuse.
#include "launch_shape.cuh"

constexpr int B_WIDTH = 32, B_HEIGHT = 8;
LAUNCH_SHAPE(B_WIDTH, B_HEIGHT, B_WIDTH, B_HEIGHT)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int y = threadIdx.y + blockIdx.y * blockDim.y, x = threadIdx.x + blockIdx.x * blockDim.x;
  if (y < m && x < n) {
    float result = 0;
    for (int p = 0; p < k; ++p) {
      result = result + A[y * k + p] * B[p * n + x];
    }
    C[y * n + x] = result;
  }
}
