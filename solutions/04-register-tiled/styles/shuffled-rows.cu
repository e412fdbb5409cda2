// The lanes of a warp hold a column of A's tile and hand it round by shuffles; only B lies in shared memory. Loses: performance.
#include "launch_shape.cuh"

constexpr int WARPS = 4, PER = 8, ROWS = WARPS * PER, ACROSS = 4, COLUMNS = 32 * ACROSS, DEPTH = 4;
LAUNCH_SHAPE(32, WARPS, COLUMNS, ROWS)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float b[DEPTH][COLUMNS];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int top = blockIdx.y * ROWS + warp * PER, left = blockIdx.x * COLUMNS;
  float sum[PER][ACROSS] = {};
  for (int first = 0; first < k; first += DEPTH) {
    // Lane l holds the element in row l / DEPTH and column l % DEPTH of the warp's 8×4 part of A.
    const int row = top + lane / DEPTH, depth = first + lane % DEPTH;
    const float own = row < m && depth < k ? A[row * k + depth] : 0.0f;
    for (int j = 0; j < ACROSS; ++j) {
      const int column = left + lane + 32 * j;
      b[warp][lane + 32 * j] = first + warp < k && column < n ? B[(first + warp) * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d)
#pragma unroll
      for (int i = 0; i < PER; ++i) {
        const float left_operand = __shfl_sync(~0u, own, i * DEPTH + d);
#pragma unroll
        for (int j = 0; j < ACROSS; ++j) sum[i][j] += left_operand * b[d][lane + 32 * j];
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PER; ++i)
#pragma unroll
    for (int j = 0; j < ACROSS; ++j) {
      const int column = left + lane + 32 * j;
      if (top + i < m && column < n) C[(top + i) * n + column] = sum[i][j];
    }
}
