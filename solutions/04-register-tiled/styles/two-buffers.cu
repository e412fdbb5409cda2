// Two pairs of tiles in turns, so that one barrier a phase is enough; the next pair waits in registers. Loses: performance.
#include "launch_shape.cuh"

constexpr int BLOCK = 128, DEPTH = 8, PER = 8, HALF = 4, SIDE = BLOCK / PER, THREADS = SIDE * SIDE;
constexpr int LOADS = BLOCK * DEPTH / THREADS;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

struct alignas(16) Tiles {
  float a[DEPTH][BLOCK + 4], b[DEPTH][BLOCK];
};

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ Tiles tiles[2];
  const int x = threadIdx.x, y = threadIdx.y, id = y * SIDE + x;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float next_a[LOADS], next_b[LOADS], sum[PER][PER] = {};

  const auto fetch = [&](int first) {
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
      const int e = id + i * THREADS;
      const int row = top + e / DEPTH, depth_of_a = first + e % DEPTH;
      next_a[i] = row < m && depth_of_a < k ? A[row * k + depth_of_a] : 0.0f;
      const int depth_of_b = first + e / BLOCK, column = left + e % BLOCK;
      next_b[i] = depth_of_b < k && column < n ? B[depth_of_b * n + column] : 0.0f;
    }
  };
  const auto put = [&](Tiles& to) {
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
      const int e = id + i * THREADS;
      to.a[e % DEPTH][e / DEPTH] = next_a[i];
      to.b[e / BLOCK][e % BLOCK] = next_b[i];
    }
  };

  fetch(0);
  put(tiles[0]);
  __syncthreads();
  for (int first = 0, now = 0; first < k; first += DEPTH, now ^= 1) {
    const bool more = first + DEPTH < k;
    if (more) fetch(first + DEPTH);
    const Tiles& tile = tiles[now];
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      alignas(16) float rows[PER], columns[PER];
      for (int g = 0; g < PER; g += HALF) {
        const int at = g / HALF * (SIDE * HALF);
        *reinterpret_cast<float4*>(&rows[g]) = *reinterpret_cast<const float4*>(&tile.a[d][at + y * HALF]);
        *reinterpret_cast<float4*>(&columns[g]) = *reinterpret_cast<const float4*>(&tile.b[d][at + x * HALF]);
      }
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[i] * columns[j];
    }
    if (more) put(tiles[now ^ 1]);
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + i / HALF * (SIDE * HALF) + y * HALF + i % HALF;
      const int column = left + j / HALF * (SIDE * HALF) + x * HALF + j % HALF;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
