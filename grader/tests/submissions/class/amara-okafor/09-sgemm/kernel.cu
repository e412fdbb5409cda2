// SGEMM
// leaderboard: Amara & the <b>tiles</b>
#include "launch_shape.cuh"

constexpr int BLOCK = 64;
constexpr int DEPTH = 16;
constexpr int OUT = 4;
constexpr int SIDE = BLOCK / OUT;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ float As[DEPTH][BLOCK + 1];
  __shared__ float Bs[DEPTH][BLOCK];
  const int t = threadIdx.y * SIDE + threadIdx.x;
  const int row0 = blockIdx.y * BLOCK, col0 = blockIdx.x * BLOCK;
  float acc[OUT][OUT] = {};
  for (int d0 = 0; d0 < k; d0 += DEPTH) {
    for (int e = t; e < BLOCK * DEPTH; e += SIDE * SIDE) {
      const int r = row0 + e / DEPTH, d = d0 + e % DEPTH;
      As[e % DEPTH][e / DEPTH] = r < m && d < k ? A[(size_t)r * k + d] : 0.0f;
    }
    for (int e = t; e < BLOCK * DEPTH; e += SIDE * SIDE) {
      const int d = d0 + e / BLOCK, c = col0 + e % BLOCK;
      Bs[e / BLOCK][e % BLOCK] = d < k && c < n ? B[(size_t)d * n + c] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      float a[OUT], b[OUT];
      for (int i = 0; i < OUT; ++i) a[i] = As[d][threadIdx.y + i * SIDE];
      for (int j = 0; j < OUT; ++j) b[j] = Bs[d][threadIdx.x + j * SIDE];
      for (int i = 0; i < OUT; ++i)
        for (int j = 0; j < OUT; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < OUT; ++i)
    for (int j = 0; j < OUT; ++j) {
      const int r = row0 + threadIdx.y + i * SIDE, c = col0 + threadIdx.x + j * SIDE;
      if (r >= m || c >= n) continue;
      float& out = C[(size_t)r * n + c];
      out = beta == 0.0f ? alpha * acc[i][j] : alpha * acc[i][j] + beta * out;
    }
}
