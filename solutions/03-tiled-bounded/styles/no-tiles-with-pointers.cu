// No tiles: a pointer to the row, one to the column. Loses: performance, reuse.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  const int i = threadIdx.y + 16 * blockIdx.y, j = threadIdx.x + 16 * blockIdx.x;
  if (i >= m || j >= n) return;
  const float* row = A + i * k;
  const float* column = B + j;
  float dot = 0.0f;
  for (int p = 0; p < k; p++) dot += row[p] * column[p * n];
  C[i * n + j] = dot;
}
