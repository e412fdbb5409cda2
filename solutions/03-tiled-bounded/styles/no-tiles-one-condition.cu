// No tiles: one condition around everything. Loses: performance, reuse.
#include "launch_shape.cuh"

#define TX 32
#define TY 8
LAUNCH_SHAPE(TX, TY, TX, TY)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  const int y = threadIdx.y + blockIdx.y * TY, x = threadIdx.x + blockIdx.x * TX;
  if (y < m && x < n) {
    float result = 0;
    for (int p = 0; p < k; ++p) result = result + A[y * k + p] * B[p * n + x];
    C[y * n + x] = result;
  }
}
