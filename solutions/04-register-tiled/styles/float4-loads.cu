// Tiles are filled with 16-byte loads wherever four neighbours are inside and aligned, one by one elsewhere.
#include "launch_shape.cuh"

constexpr int BLOCK = 128, DEPTH = 8, PER = 8, SIDE = BLOCK / PER, THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

// Four neighbours of a row of `width`, from `column` on; zero where there is none.
__device__ float4 four(const float* matrix, int rows, int width, int row, int column) {
  if (row >= rows) return make_float4(0, 0, 0, 0);
  const float* at = matrix + row * width + column;
  if (width % 4 == 0 && column + 4 <= width) return *reinterpret_cast<const float4*>(at);
  return make_float4(column < width ? at[0] : 0.0f, column + 1 < width ? at[1] : 0.0f,
                     column + 2 < width ? at[2] : 0.0f, column + 3 < width ? at[3] : 0.0f);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float a[DEPTH][BLOCK + 4], b[DEPTH][BLOCK];
  const int x = threadIdx.x, y = threadIdx.y, id = y * SIDE + x;
  const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
  float sum[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    const float4 from_a = four(A, m, k, top + id / 2, first + id % 2 * 4);
    const float4 from_b = four(B, k, n, first + id / 32, left + id % 32 * 4);
    a[id % 2 * 4][id / 2] = from_a.x;
    a[id % 2 * 4 + 1][id / 2] = from_a.y;
    a[id % 2 * 4 + 2][id / 2] = from_a.z;
    a[id % 2 * 4 + 3][id / 2] = from_a.w;
    *reinterpret_cast<float4*>(&b[id / 32][id % 32 * 4]) = from_b;
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      alignas(16) float rows[PER], columns[PER];
      for (int g = 0; g < 2; ++g) {
        *reinterpret_cast<float4*>(&rows[4 * g]) = *reinterpret_cast<const float4*>(&a[d][g * 64 + y * 4]);
        *reinterpret_cast<float4*>(&columns[4 * g]) = *reinterpret_cast<const float4*>(&b[d][g * 64 + x * 4]);
      }
      for (int i = 0; i < PER; ++i)
        for (int j = 0; j < PER; ++j) sum[i][j] += rows[i] * columns[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < PER; ++i)
    for (int j = 0; j < PER; ++j) {
      const int row = top + i / 4 * 64 + y * 4 + i % 4, column = left + j / 4 * 64 + x * 4 + j % 4;
      if (row < m && column < n) C[row * n + column] = sum[i][j];
    }
}
