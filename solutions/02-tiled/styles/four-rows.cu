// Blocks of 32×8 threads: each has four elements below one another, and brings four of each tile.
#include "launch_shape.cuh"

constexpr int TILE = 32, HIGH = 8, EACH = TILE / HIGH;
LAUNCH_SHAPE(TILE, HIGH, TILE, TILE)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  float totals[EACH] = {};
  for (int begin = 0; begin < k; begin += TILE) {
    for (int r = threadIdx.y; r < TILE; r += HIGH) {
      tile_a[r][threadIdx.x] = A[(top + r) * k + begin + threadIdx.x];
      tile_b[r][threadIdx.x] = B[(begin + r) * n + left + threadIdx.x];
    }
    __syncthreads();
    for (int d = 0; d < TILE; ++d) {
      const float b = tile_b[d][threadIdx.x];
      for (int e = 0; e < EACH; ++e) totals[e] += tile_a[threadIdx.y + e * HIGH][d] * b;
    }
    __syncthreads();
  }
  for (int e = 0; e < EACH; ++e) C[(top + threadIdx.y + e * HIGH) * n + left + threadIdx.x] = totals[e];
}
