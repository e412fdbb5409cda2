// One pair of tiles; what the next phase needs is loaded to registers before this one is multiplied. Loses: performance.
#include "launch_shape.cuh"

constexpr int ROWS = 64, COLUMNS = 128, DEPTH = 8, DOWN = 4, ACROSS = 8;
constexpr int X = COLUMNS / ACROSS, Y = ROWS / DOWN, THREADS = X * Y;
constexpr int OF_A = ROWS * DEPTH / THREADS, OF_B = DEPTH * COLUMNS / THREADS;
LAUNCH_SHAPE(X, Y, COLUMNS, ROWS)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[DEPTH][ROWS + 1], b[DEPTH][COLUMNS];
  const int x = threadIdx.x, y = threadIdx.y, id = y * X + x;
  const int top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;
  float next_a[OF_A], next_b[OF_B], sum[DOWN][ACROSS] = {};
  for (int first = -DEPTH; first < k; first += DEPTH) {
    for (int i = 0; i < OF_A; ++i) {
      const int e = id + i * THREADS, row = top + e / DEPTH, depth = first + DEPTH + e % DEPTH;
      next_a[i] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
    for (int i = 0; i < OF_B; ++i) {
      const int e = id + i * THREADS, depth = first + DEPTH + e / COLUMNS, column = left + e % COLUMNS;
      next_b[i] = depth < k && column < n ? B[depth * n + column] : 0.0f;
    }
    if (first >= 0)
#pragma unroll
      for (int d = 0; d < DEPTH; ++d)
#pragma unroll
        for (int i = 0; i < DOWN; ++i)
#pragma unroll
          for (int j = 0; j < ACROSS; ++j) sum[i][j] += a[d][y + i * Y] * b[d][x + j * X];
    __syncthreads();
    for (int i = 0; i < OF_A; ++i) a[(id + i * THREADS) % DEPTH][(id + i * THREADS) / DEPTH] = next_a[i];
    for (int i = 0; i < OF_B; ++i) b[(id + i * THREADS) / COLUMNS][(id + i * THREADS) % COLUMNS] = next_b[i];
    __syncthreads();
  }
  for (int i = 0; i < DOWN; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      const int row = top + y + i * Y, column = left + x + j * X;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
