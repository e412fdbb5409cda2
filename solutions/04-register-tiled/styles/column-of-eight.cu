// Eight outputs a thread, one below the other: an element of B serves eight multiply-adds. Loses: performance.
#include "launch_shape.cuh"

constexpr int SIDE = 64, DEPTH = 8, PER = 8;
LAUNCH_SHAPE(SIDE, SIDE / PER, SIDE, SIDE)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[SIDE][DEPTH], b[DEPTH][SIDE];
  const int x = threadIdx.x, y = threadIdx.y, id = y * SIDE + x;
  const int top = blockIdx.y * SIDE, column = blockIdx.x * SIDE + x;
  float sum[PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    const int row = top + id / DEPTH, depth = first + id % DEPTH;
    a[id / DEPTH][id % DEPTH] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    b[y][x] = first + y < k && column < n ? B[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      const float below = b[d][x];
      for (int i = 0; i < PER; ++i) sum[i] += a[y * PER + i][d] * below;
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    if (top + y * PER + i < m && column < n) C[(top + y * PER + i) * n + column] = sum[i];
}
