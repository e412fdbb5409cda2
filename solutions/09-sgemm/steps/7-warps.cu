// Warp tiles: eight by sixteen outputs a thread
//
// A warp computes 64×64 elements with its lanes in 8 rows and 4 columns, so its 32 lanes read only 12 different
// float4s for a depth; a block of 8 warps computes 128×256. A lane's 8 rows lie 8 apart; four depths of A are
// read at once, so A's tile need not be transposed: 6 loads for 128 multiply-adds. Only one block fits on an SM.
#include "launch_shape.cuh"

constexpr int ROWS = 128, COLUMNS = 256, DEPTH = 16;
constexpr int WARP = 64;         // rows and columns of a warp
constexpr int DOWN = 8, ACROSS = 4;  // its lanes
constexpr int OUT_Y = WARP / DOWN, OUT_X = WARP / ACROSS;
constexpr int CHUNK = 4;
constexpr int PADDING = 4;
constexpr int THREADS = ROWS / WARP * (COLUMNS / WARP) * 32;
LAUNCH_SHAPE(THREADS, 1, COLUMNS, ROWS)

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ alignas(16) float A_tile[ROWS][DEPTH + PADDING];
  __shared__ alignas(16) float B_tile[DEPTH][COLUMNS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = blockIdx.y * ROWS, first_column = blockIdx.x * COLUMNS;
  const int warp_row = warp / (COLUMNS / WARP) * WARP + lane / ACROSS;
  const int warp_column = warp % (COLUMNS / WARP) * WARP + lane % ACROSS * CHUNK;
  float sum[OUT_Y][OUT_X] = {};
  for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
    for (int i = 0; i < ROWS * DEPTH / THREADS; ++i) {
      const int e = threadIdx.x + i * THREADS;
      const int row = first_row + e / DEPTH, depth = first + e % DEPTH;
      A_tile[e / DEPTH][e % DEPTH] = row < m && depth < k ? A[static_cast<size_t>(row) * k + depth] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < DEPTH * COLUMNS / THREADS; ++i) {
      const int e = threadIdx.x + i * THREADS;
      const int depth = first + e / COLUMNS, column = first_column + e % COLUMNS;
      B_tile[e / COLUMNS][e % COLUMNS] =
          depth < k && column < n ? B[static_cast<size_t>(depth) * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int four = 0; four < DEPTH; four += CHUNK) {
      alignas(16) float a[OUT_Y][CHUNK];
#pragma unroll
      for (int i = 0; i < OUT_Y; ++i) load(a[i], &A_tile[warp_row + i * DOWN][four]);
#pragma unroll
      for (int d = 0; d < CHUNK; ++d) {
        alignas(16) float b[OUT_X / CHUNK][CHUNK];
#pragma unroll
        for (int j = 0; j < OUT_X / CHUNK; ++j) load(b[j], &B_tile[four + d][warp_column + j * ACROSS * CHUNK]);
#pragma unroll
        for (int i = 0; i < OUT_Y; ++i)
#pragma unroll
          for (int j = 0; j < OUT_X; ++j) sum[i][j] += a[i][d] * b[j / CHUNK][j % CHUNK];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < OUT_Y; ++i)
#pragma unroll
    for (int j = 0; j < OUT_X; ++j) {
      const int row = first_row + warp_row + i * DOWN;
      const int column = first_column + warp_column + j / CHUNK * ACROSS * CHUNK + j % CHUNK;
      if (row >= m || column >= n) continue;
      float& to = C[static_cast<size_t>(row) * n + column];
      to = alpha * sum[i][j] + (beta != 0 ? beta * to : 0);
    }
}
