// Both parts by wmma: one warp a block with fragments of 32×8, then the toolkit's pipeline. Loses: tensor-cores, reuse, banks, performance.
#include <cuda_pipeline.h>
#include <mma.h>

#include "launch_shape.cuh"
namespace w = nvcuda::wmma;
LAUNCH_SHAPE_OF(product_wmma, 32, 1, 8, 32)
LAUNCH_SHAPE_OF(product_mma, 32, 4, 64, 64)

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(32) half a[32 * 16], b[16 * 8];
  __shared__ __align__(32) float c[32 * 8];
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 8, t = threadIdx.x;
  w::fragment<w::accumulator, 32, 8, 16, float> sum;
  w::fill_fragment(sum, 0);
  for (int i = 0; i < k; i += 16) {
    // A column by column, so that neighbouring lanes store side by side.
    for (int d = 0; d < 16; ++d) a[d * 32 + t] = r0 + t < m && i + d < k ? A[(size_t)(r0 + t) * k + i + d] : half(0.0f);
    for (int e = t; e < 128; e += 32) b[e] = i + e / 8 < k && c0 + e % 8 < n ? B[(size_t)(i + e / 8) * n + c0 + e % 8] : half(0.0f);
    __syncwarp();
    w::fragment<w::matrix_a, 32, 8, 16, half, w::col_major> fa;
    w::fragment<w::matrix_b, 32, 8, 16, half, w::row_major> fb;
    w::load_matrix_sync(fa, a, 32);
    w::load_matrix_sync(fb, b, 8);
    w::mma_sync(sum, fa, fb, sum);
    __syncwarp();
  }
  w::store_matrix_sync(c, sum, 8, w::mem_row_major);
  __syncwarp();
  for (int e = t; e < 256; e += 32)
    if (r0 + e / 8 < m && c0 + e % 8 < n) C[(size_t)(r0 + e / 8) * n + c0 + e % 8] = c[e];
}

constexpr int P = 72;  // halves from row to row
extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(128) half a[2][64 * 40], b[2][32 * P];
  __shared__ __align__(128) float c[4][16 * 20];
  const int t = threadIdx.y * 32 + threadIdx.x, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  const int wr = threadIdx.y / 2 * 32, wc = threadIdx.y % 2 * 32;
  w::fragment<w::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) w::fill_fragment(sum[i / 2][i % 2], 0);
  const auto bring = [&](half* to, const half* from, int rows, int columns, int row, int column, int high, int wide, int pitch) {
    for (int e = t * 8; e < high * wide; e += 128 * 8) {
      const int r = row + e / wide, q = column + e % wide;
      half* const at = to + e / wide * pitch + e % wide;
      if (columns % 8 == 0 && r < rows && q < columns)
        __pipeline_memcpy_async(at, from + (size_t)r * columns + q, 16);
      else
        for (int i = 0; i < 8; ++i) at[i] = r < rows && q + i < columns ? from[(size_t)r * columns + q + i] : half(0.0f);
    }
  };
  const auto both = [&](int tile) {
    bring(a[tile % 2], A, m, k, r0, tile * 32, 64, 32, 40);
    bring(b[tile % 2], B, k, n, tile * 32, c0, 32, 64, P);
    __pipeline_commit();
  };
  const int tiles = (k + 31) / 32;
  both(0);
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (tile + 1 < tiles) both(tile + 1);
    for (int d = 0; d < 32; d += 16) {
      w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> fa[2];
      w::fragment<w::matrix_b, 16, 16, 16, half, w::row_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        w::load_matrix_sync(fa[i], a[tile % 2] + (wr + 16 * i) * 40 + d, 40);
        w::load_matrix_sync(fb[i], b[tile % 2] + d * P + wc + 16 * i, P);
      }
      for (int i = 0; i < 4; ++i) w::mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2], sum[i / 2][i % 2]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    __syncwarp();
    w::store_matrix_sync(c[threadIdx.y], sum[i / 2][i % 2], 20, w::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32) {
      const int r = r0 + wr + i / 2 * 16 + e / 16, q = c0 + wc + i % 2 * 16 + e % 16;
      if (r < m && q < n) C[(size_t)r * n + q] = c[threadIdx.y][e / 16 * 20 + e % 16];
    }
  }
}
