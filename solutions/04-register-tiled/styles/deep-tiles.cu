// Tiles 32 deep: few barriers, many floats in shared memory; the rows of A's tile are padded by one. Loses: performance.
#include "launch_shape.cuh"

constexpr int BLOCK = 64, DEPTH = 32, PER = 4, SIDE = BLOCK / PER;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[BLOCK][DEPTH + 1], b[DEPTH][BLOCK];
  const int x = threadIdx.x, y = threadIdx.y;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int r = y; r < BLOCK; r += SIDE)
      for (int c = x; c < DEPTH; c += SIDE)
        a[r][c] = top + r < m && first + c < k ? A[(top + r) * k + first + c] : 0.0f;
    for (int r = y; r < DEPTH; r += SIDE)
      for (int c = x; c < BLOCK; c += SIDE)
        b[r][c] = first + r < k && left + c < n ? B[(first + r) * n + left + c] : 0.0f;
    __syncthreads();
#pragma unroll 8
    for (int d = 0; d < DEPTH; ++d) {
      float rows[PER], columns[PER];
      for (int i = 0; i < PER; ++i) rows[i] = a[y * PER + i][d];
      for (int j = 0; j < PER; ++j) columns[j] = b[d][x + j * SIDE];
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[i] * columns[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + y * PER + i, column = left + x + j * SIDE;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
