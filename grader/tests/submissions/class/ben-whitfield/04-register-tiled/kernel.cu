// Thread coarsening: the block computes 32 x 32 outputs with 32 x 8 threads, so each thread has
// 4 rows of one column. One value of B from shared memory is used 4 times.
#include "launch_shape.cuh"

constexpr int TILE = 32;
constexpr int COARSE = 4;
constexpr int ROWS_PER_STEP = TILE / COARSE;  // 8
LAUNCH_SHAPE(TILE, ROWS_PER_STEP, TILE, TILE)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n,
                                                 int k) {
  __shared__ float Mds[TILE][TILE];
  __shared__ float Nds[TILE][TILE];

  int tx = threadIdx.x; int ty = threadIdx.y;
  int Col = blockIdx.x * TILE + tx;
  int firstRow = blockIdx.y * TILE + ty;

  float Pvalue[COARSE];
  for (int c = 0; c < COARSE; ++c) Pvalue[c] = 0.0f;

  for (int ph = 0; ph < (k + TILE - 1) / TILE; ++ph) {
    for (int c = 0; c < COARSE; ++c) {
      int r = ty + c * ROWS_PER_STEP;
      int Row = firstRow + c * ROWS_PER_STEP;
      Mds[r][tx] = (Row < m && ph * TILE + tx < k) ? A[Row * k + ph * TILE + tx] : 0.0f;
      Nds[r][tx] = (ph * TILE + r < k && Col < n) ? B[(ph * TILE + r) * n + Col] : 0.0f;
    }
    __syncthreads();

    for (int i = 0; i < TILE; ++i) {
      float b = Nds[i][tx];
      for (int c = 0; c < COARSE; ++c) Pvalue[c] += Mds[ty + c * ROWS_PER_STEP][i] * b;
    }
    __syncthreads();
  }

  for (int c = 0; c < COARSE; ++c) {
    int Row = firstRow + c * ROWS_PER_STEP;
    if (Row < m && Col < n) C[Row * n + Col] = Pvalue[c];
  }
}
