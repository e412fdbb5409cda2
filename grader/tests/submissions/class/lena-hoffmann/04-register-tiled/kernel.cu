#include "launch_shape.cuh"

// 128 x 32 outputs, a thread has 16 rows of one column
constexpr int COLS = 32;
constexpr int ROWS = 128;
constexpr int THREADS_Y = 8;
constexpr int MINE = ROWS / THREADS_Y;
constexpr int DEPTH = 32;
// columns and rows of the block
LAUNCH_SHAPE(COLS, THREADS_Y, COLS, ROWS)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[ROWS][DEPTH];
  __shared__ float b[DEPTH][COLS];
  const int x = threadIdx.x, y = threadIdx.y;
  const int r0 = ROWS * blockIdx.y;
  const int c = COLS * blockIdx.x + x;

  float sum[MINE];
#pragma unroll
  for (int i = 0; i < MINE; ++i) sum[i] = 0.0f;

  for (int t = 0; t < k; t += DEPTH) {
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS_Y)
      a[y + i][x] = r0 + y + i < m && t + x < k ? A[(r0 + y + i) * k + t + x] : 0.0f;
#pragma unroll
    for (int i = 0; i < DEPTH; i += THREADS_Y)
      b[y + i][x] = t + y + i < k && c < n ? B[(t + y + i) * n + c] : 0.0f;
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      const float bd = b[d][x];
#pragma unroll
      for (int i = 0; i < MINE; ++i) sum[i] += a[y * MINE + i][d] * bd;
    }
    __syncthreads();
  }

  // my rows are next to each other
#pragma unroll
  for (int i = 0; i < MINE; ++i) {
    const int r = r0 + y + i;
    if (r < m && c < n) C[r * n + c] = sum[i];
  }
}
