// Sixty-four neighbours a thread; the tile of A as it lies in memory, so that its rows are read one by one. Loses: performance.
#include "launch_shape.cuh"

constexpr int BLOCK = 128, DEPTH = 8, PER = 8, SIDE = BLOCK / PER, THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[BLOCK][DEPTH], b[DEPTH][BLOCK];
  const int id = threadIdx.y * SIDE + threadIdx.x;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = id; e < BLOCK * DEPTH; e += THREADS) {
      const int row = top + e / DEPTH, depth = first + e % DEPTH;
      a[e / DEPTH][e % DEPTH] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
    for (int e = id; e < BLOCK * DEPTH; e += THREADS) {
      const int depth = first + e / BLOCK, column = left + e % BLOCK;
      b[e / BLOCK][e % BLOCK] = depth < k && column < n ? B[depth * n + column] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      float of_a[PER], of_b[PER];
      for (int i = 0; i < PER; ++i) of_a[i] = a[threadIdx.y * PER + i][d];
      for (int j = 0; j < PER; ++j) of_b[j] = b[d][threadIdx.x * PER + j];
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + threadIdx.y * PER + i, column = left + threadIdx.x * PER + j;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
