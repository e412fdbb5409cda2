// A copy of the style of this name: other names, the pairs in loops of their own, conditions negated.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
using namespace nvcuda::wmma;
LAUNCH_SHAPE_OF(product_wmma, 32, 2, 16, 32)
LAUNCH_SHAPE_OF(product_mma, 32, 4, 32, 16)

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  // Whole fragments come from the matrices themselves, others by way of shared memory.
  __shared__ __align__(32) half border[2][2][256];
  __shared__ __align__(32) float results[2][256];
  const int row = blockIdx.y * 32 + threadIdx.y * 16, column = blockIdx.x * 16, l = threadIdx.x, w = threadIdx.y;
  fragment<accumulator, 16, 16, 16, float> total;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, row_major> b;
  fill_fragment(total, 0.0f);
  int d = 0;
  while (d < k) {
    if (row + 16 <= m && d + 16 <= k && column + 16 <= n && (n | k) % 16 == 0) {
      load_matrix_sync(a, A + (size_t)row * k + d, k);
      load_matrix_sync(b, B + (size_t)d * n + column, n);
    } else {
      for (int e = l; e < 256; e += 32) {
        const int y = e / 16, x = e % 16;
        border[w][0][e] = row + y < m && d + x < k ? A[(size_t)(row + y) * k + d + x] : __ushort_as_half(0);
        border[w][1][e] = d + y < k && column + x < n ? B[(size_t)(d + y) * n + column + x] : __ushort_as_half(0);
      }
      __syncwarp();
      load_matrix_sync(a, border[w][0], 16);
      load_matrix_sync(b, border[w][1], 16);
      __syncwarp();
    }
    mma_sync(total, a, b, total);
    d += 16;
  }
  store_matrix_sync(results[w], total, 16, mem_row_major);
  __syncwarp();
  for (int e = l; e < 256; e += 32)
    if (row + e / 16 < m && column + e % 16 < n) C[(size_t)(row + e / 16) * n + column + e % 16] = results[w][e];
}

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  const int l = threadIdx.x, row = blockIdx.y * 16 + l / 4, column = blockIdx.x * 32 + threadIdx.y * 8;
  const auto pair = [](half low, half high) {
    const unsigned upper = __half_as_ushort(high);
    return upper << 16 | __half_as_ushort(low);
  };
  const auto at = [](const half* M, int rows, int columns, int r, int c) {
    if (r >= rows || c >= columns) return __ushort_as_half(0);
    return M[(size_t)columns * r + c];
  };
  float sums[4] = {};
  for (int d = l % 4 * 2; d < k + l % 4 * 2; d += 16) {
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) {
      const int r = row + i % 2 * 8, x = d + i / 2 * 8;
      a[i] = pair(at(A, m, k, r, x), at(A, m, k, r, x + 1));
    }
    for (int i = 0; i < 2; ++i)
      b[i] = pair(at(B, k, n, d + 8 * i, column + l / 4), at(B, k, n, d + 8 * i + 1, column + l / 4));
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; ++i) {
    const int c = i % 2 + l % 4 * 2 + column;
    const int r = i / 2 * 8 + row;
    if (!(r < m && c < n)) continue;
    C[(size_t)r * n + c] = sums[i];
  }
}
