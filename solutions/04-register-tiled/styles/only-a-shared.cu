// A thread owns one column of the block's part: B comes straight to a register, only A is shared. Loses: performance.
#include "launch_shape.cuh"

constexpr int ROWS = 32, COLUMNS = 128, DEPTH = 8;
LAUNCH_SHAPE(COLUMNS, 1, COLUMNS, ROWS)

extern "C" __global__ void __launch_bounds__(COLUMNS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float a[DEPTH][ROWS];
  const int id = threadIdx.x, top = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS + id;
  float sum[ROWS] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = id; e < ROWS * DEPTH; e += COLUMNS) {
      const int row = top + e / DEPTH, depth = first + e % DEPTH;
      a[e % DEPTH][e / DEPTH] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
    float below[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) below[d] = first + d < k && column < n ? B[(first + d) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d)
#pragma unroll
      for (int i = 0; i < ROWS; i += 4) {
        const float4 rows = *reinterpret_cast<const float4*>(&a[d][i]);
        sum[i] += rows.x * below[d];
        sum[i + 1] += rows.y * below[d];
        sum[i + 2] += rows.z * below[d];
        sum[i + 3] += rows.w * below[d];
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    if (top + i < m && column < n) C[(top + i) * n + column] = sum[i];
}
