// Blocks of 256 threads in a row, which are split into 16 rows by division. Loses: performance.
#include "launch_shape.cuh"

constexpr unsigned SIDE = 16;
LAUNCH_SHAPE(SIDE * SIDE, 1, SIDE, SIDE)

extern "C" __global__ void matmul_basic(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int m, int n, int k) {
  const unsigned i = blockIdx.y * SIDE + threadIdx.x / SIDE;
  const unsigned j = blockIdx.x * SIDE + threadIdx.x % SIDE;
  if (i < m && j < n) {
    float total = 0.0f;
    unsigned depth = 0;
    while (depth < k) {
      total += B[depth * n + j] * A[i * k + depth];
      ++depth;
    }
    C[i * n + j] = total;
  }
}
