// A warp computes 32×64: lanes in four rows and eight columns read few different float4s of each tile.
#include "launch_shape.cuh"

constexpr int BLOCK = 128, DEPTH = 16, PADDING = 4;
constexpr int WARP_ROWS = 32, WARP_COLUMNS = 64, LANES_X = 8;
constexpr int PER = 8, HALF = 4, THREADS = 256;
LAUNCH_SHAPE(THREADS, 1, BLOCK, BLOCK)

__device__ void read(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float a[DEPTH][BLOCK + PADDING], b[DEPTH][BLOCK];
  const int id = threadIdx.x, lane = id % 32, warp = id / 32;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  const int warp_row = warp / 2 * WARP_ROWS, warp_column = warp % 2 * WARP_COLUMNS;
  const int row0 = warp_row + lane / LANES_X * HALF, column0 = warp_column + lane % LANES_X * HALF;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
    for (int i = 0; i < BLOCK * DEPTH / THREADS; ++i) {
      const int e = id + i * THREADS, row = top + e / DEPTH, depth = first + e % DEPTH;
      a[e % DEPTH][e / DEPTH] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < BLOCK * DEPTH / THREADS; ++i) {
      const int e = id + i * THREADS, depth = first + e / BLOCK, column = left + e % BLOCK;
      b[e / BLOCK][e % BLOCK] = depth < k && column < n ? B[depth * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      alignas(16) float rows[PER], columns[PER];
      read(rows, &a[d][row0]);
      read(rows + HALF, &a[d][row0 + WARP_ROWS / 2]);
      read(columns, &b[d][column0]);
      read(columns + HALF, &b[d][column0 + WARP_COLUMNS / 2]);
#pragma unroll
      for (int i = 0; i < PER; ++i)
#pragma unroll
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[i] * columns[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PER; ++i)
#pragma unroll
    for (int j = 0; j < PER; ++j) {
      const int row = top + row0 + i / HALF * (WARP_ROWS / 2) + i % HALF;
      const int column = left + column0 + j / HALF * (WARP_COLUMNS / 2) + j % HALF;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
