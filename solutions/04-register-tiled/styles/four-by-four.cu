// Sixteen outputs a thread, sixteen elements apart, read one float at a time from padded tiles. Loses: performance.
#include "launch_shape.cuh"

constexpr int BLOCK = 64, DEPTH = 8, PER = 4, SIDE = BLOCK / PER, THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[DEPTH][BLOCK + 1], b[DEPTH][BLOCK];
  const int x = threadIdx.x, y = threadIdx.y, id = y * SIDE + x;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = id; e < BLOCK * DEPTH; e += THREADS) {
      const int row = top + e / DEPTH, depth_of_a = first + e % DEPTH;
      a[e % DEPTH][e / DEPTH] = row < m && depth_of_a < k ? A[row * k + depth_of_a] : 0.0f;
      const int column = left + e % BLOCK, depth_of_b = first + e / BLOCK;
      b[e / BLOCK][e % BLOCK] = column < n && depth_of_b < k ? B[depth_of_b * n + column] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d)
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += a[d][y + i * SIDE] * b[d][x + j * SIDE];
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + y + i * SIDE, column = left + x + j * SIDE;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
