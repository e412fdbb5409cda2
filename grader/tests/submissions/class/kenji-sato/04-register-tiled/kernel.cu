#include "launch_shape.cuh"

// 64 x 64 outputs, 16 x 16 threads, 4 x 4 outputs each
constexpr int T = 64;
constexpr int PER = 4;
constexpr int DEPTH = 8;
LAUNCH_SHAPE(T / PER, T / PER, T, T)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float sA[DEPTH][T];  // transposed
  __shared__ float sB[DEPTH][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row0 = blockIdx.y * T, col0 = blockIdx.x * T;

  float sum[PER][PER] = {};
  for (int start = 0; start < k; start += DEPTH) {
    // the upper half of the threads brings B, a row of the tile each
    if (ty < DEPTH) {
      for (int i = tx; i < T; i += T / PER)
        sB[ty][i] = start + ty < k && col0 + i < n ? B[(start + ty) * n + col0 + i] : 0.0f;
      __syncthreads();
    }
    // and then everybody brings A
    for (int i = ty * (T / PER) + tx; i < T * DEPTH; i += (T / PER) * (T / PER)) {
      int r = i / DEPTH, d = i % DEPTH;
      sA[d][r] = row0 + r < m && start + d < k ? A[(row0 + r) * k + start + d] : 0.0f;
    }
    __syncthreads();

    for (int d = 0; d < DEPTH; d++)
      for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) sum[i][j] += sA[d][ty + i * (T / PER)] * sB[d][tx + j * (T / PER)];
    __syncthreads();
  }

  for (int i = 0; i < PER; i++)
    for (int j = 0; j < PER; j++) {
      int row = row0 + ty + i * (T / PER), col = col0 + tx + j * (T / PER);
      if (row < m && col < n) C[row * n + col] = sum[i][j];
    }
}
