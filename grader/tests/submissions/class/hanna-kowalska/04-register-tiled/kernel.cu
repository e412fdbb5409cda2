#include "launch_shape.cuh"

// each thread computes 4 x 4 elements that lie next to each other
constexpr int TILE = 64;
constexpr int PER_THREAD = 4;
constexpr int THREADS = TILE / PER_THREAD;  // 16 in x and in y
constexpr int DEPTH = 16;
LAUNCH_SHAPE(THREADS, THREADS, TILE, TILE)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n,
                                                 int k) {
  __shared__ float A_tile[TILE][DEPTH + 1];
  __shared__ float B_tile[DEPTH][TILE];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row0 = blockIdx.y * TILE;
  int col0 = blockIdx.x * TILE;

  float sum[PER_THREAD][PER_THREAD] = {};
  for (int p = 0; p < k; p += DEPTH) {
    for (int i = 0; i < PER_THREAD; i++) {
      int r = ty + i * THREADS;
      A_tile[r][tx] = (row0 + r < m && p + tx < k) ? A[(row0 + r) * k + p + tx] : 0.0f;
      int c = tx + i * THREADS;
      B_tile[ty][c] = (p + ty < k && col0 + c < n) ? B[(p + ty) * n + col0 + c] : 0.0f;
    }
    __syncthreads();

    for (int d = 0; d < DEPTH; d++) {
      float a[PER_THREAD], b[PER_THREAD];
      for (int i = 0; i < PER_THREAD; i++) a[i] = A_tile[ty * PER_THREAD + i][d];
      for (int j = 0; j < PER_THREAD; j++) b[j] = B_tile[d][tx * PER_THREAD + j];
      for (int i = 0; i < PER_THREAD; i++)
        for (int j = 0; j < PER_THREAD; j++) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }

  // only threads whose patch starts inside have something to store
  int row = row0 + ty * PER_THREAD;
  int col = col0 + tx * PER_THREAD;
  if (row < m && col < n) {
    for (int i = 0; i < PER_THREAD; i++)
      for (int j = 0; j < PER_THREAD; j++) C[(row + i) * n + col + j] = sum[i][j];
  }
}
