// Two halves of a block take the even and the odd depths of a tile; one half adds both sums at the end. Loses: performance.
#include "launch_shape.cuh"

constexpr int BLOCK = 64, DEPTH = 16, PER = 8, ACROSS = BLOCK / PER, HALF = ACROSS * ACROSS, THREADS = 2 * HALF;
LAUNCH_SHAPE(THREADS, 1, BLOCK, BLOCK)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tiles[BLOCK * BLOCK];
  float(*a)[BLOCK] = reinterpret_cast<float(*)[BLOCK]>(tiles);
  float(*b)[BLOCK] = reinterpret_cast<float(*)[BLOCK]>(tiles + DEPTH * BLOCK);
  const int id = threadIdx.x, half = id / HALF, own = id % HALF, y = own / ACROSS, x = own % ACROSS;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = id; e < BLOCK * DEPTH; e += THREADS) {
      const int depth = first + e / BLOCK, row = top + e % BLOCK, column = left + e % BLOCK;
      a[e / BLOCK][e % BLOCK] = row < m && depth < k ? A[row * k + depth] : 0.0f;
      b[e / BLOCK][e % BLOCK] = column < n && depth < k ? B[depth * n + column] : 0.0f;
    }
    __syncthreads();
    for (int d = half; d < DEPTH; d += 2) {
      float rows[PER], columns[PER];
      for (int i = 0; i < PER; ++i) rows[i] = a[d][y + i * ACROSS];
      for (int j = 0; j < PER; ++j) columns[j] = b[d][x + j * ACROSS];
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[i] * columns[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j)
      if (half) tiles[(i * PER + j) * HALF + own] = sum[i][j];
  __syncthreads();
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + y + i * ACROSS, column = left + x + j * ACROSS;
      if (!half && row < m && column < n) C[row * n + column] = sum[i][j] + tiles[(i * PER + j) * HALF + own];
    }
}
