// The operands of the next depth are read from shared memory while those of this one are multiplied.
#include "launch_shape.cuh"

constexpr int ROWS = 128, COLUMNS = 128, DEPTH = 16, PER = 8, GROUP = 4, SIDE = 16, THREADS = SIDE * SIDE;
LAUNCH_SHAPE(THREADS, 1, COLUMNS, ROWS)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float a[DEPTH][ROWS + 4], b[DEPTH][COLUMNS];
  const int id = threadIdx.x, x = id % SIDE, y = id / SIDE;
  const int top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;
  alignas(16) float rows[2][PER], columns[2][PER];
  float sum[PER][PER] = {};
  const auto read = [&](int buffer, int d) {
#pragma unroll
    for (int g = 0; g < PER; g += GROUP) {
      const int at = g * SIDE;
      *reinterpret_cast<float4*>(&rows[buffer][g]) = *reinterpret_cast<const float4*>(&a[d][at + y * GROUP]);
      *reinterpret_cast<float4*>(&columns[buffer][g]) = *reinterpret_cast<const float4*>(&b[d][at + x * GROUP]);
    }
  };
  for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
    for (int i = 0; i < ROWS * DEPTH / THREADS; ++i) {
      const int e = id + i * THREADS, row = top + e / DEPTH, depth = first + e % DEPTH;
      a[e % DEPTH][e / DEPTH] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < COLUMNS * DEPTH / THREADS; ++i) {
      const int e = id + i * THREADS, depth = first + e / COLUMNS, column = left + e % COLUMNS;
      b[e / COLUMNS][e % COLUMNS] = depth < k && column < n ? B[depth * n + column] : 0.0f;
    }
    __syncthreads();
    read(0, 0);
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      if (d + 1 < DEPTH) read((d + 1) % 2, d + 1);
#pragma unroll
      for (int i = 0; i < PER; ++i)
#pragma unroll
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[d % 2][i] * columns[d % 2][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PER; ++i)
#pragma unroll
    for (int j = 0; j < PER; ++j) {
      const int row = top + i / GROUP * (GROUP * SIDE) + y * GROUP + i % GROUP;
      const int column = left + j / GROUP * (GROUP * SIDE) + x * GROUP + j % GROUP;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
