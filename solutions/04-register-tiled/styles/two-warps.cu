// Blocks of two warps: each thread brings a row of A's tile and a column of B's, and reads float4. Loses: performance.
// After wide-register-tile of the collection that labs of products share.
#include "launch_shape.cuh"

constexpr int BLOCK = 64, DEPTH = 8, PER = 8, ACROSS = BLOCK / PER, THREADS = ACROSS * ACROSS;
LAUNCH_SHAPE(THREADS, 1, BLOCK, BLOCK)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float a[DEPTH][BLOCK], b[DEPTH][BLOCK];
  const int id = threadIdx.x, down = id / ACROSS * PER, across = id % ACROSS * PER;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int d = 0; d < DEPTH; ++d) {
      a[d][id] = top + id < m && first + d < k ? A[(top + id) * k + first + d] : 0.0f;
      b[d][id] = left + id < n && first + d < k ? B[(first + d) * n + left + id] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      const float4* of_a = reinterpret_cast<const float4*>(&a[d][down]);
      const float4* of_b = reinterpret_cast<const float4*>(&b[d][across]);
      const float4 a0 = of_a[0], a1 = of_a[1], b0 = of_b[0], b1 = of_b[1];
      const float rows[PER] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float columns[PER] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] = fmaf(rows[i], columns[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j)
      if (top + down + i < m && left + across + j < n) C[(top + down + i) * n + left + across + j] = sum[i][j];
}
