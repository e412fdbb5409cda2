// No shared memory in part 2: each lane loads its own elements of a 16×8 product. Loses: tensor-cores, asynchronous, reuse, banks, performance.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
using namespace nvcuda::wmma;
LAUNCH_SHAPE_OF(product_wmma, 32, 2, 16, 32)
LAUNCH_SHAPE_OF(product_mma, 32, 4, 32, 16)

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  // Whole fragments come from the matrices themselves, others by way of shared memory.
  __shared__ __align__(32) half edge[2][2][256];
  __shared__ __align__(32) float out[2][256];
  const int r0 = blockIdx.y * 32 + threadIdx.y * 16, c0 = blockIdx.x * 16, lane = threadIdx.x, w = threadIdx.y;
  fragment<accumulator, 16, 16, 16, float> sum;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, row_major> b;
  fill_fragment(sum, 0.0f);
  for (int d = 0; d < k; d += 16) {
    if (r0 + 16 <= m && d + 16 <= k && c0 + 16 <= n && (n | k) % 16 == 0) {
      load_matrix_sync(a, A + (size_t)r0 * k + d, k);
      load_matrix_sync(b, B + (size_t)d * n + c0, n);
    } else {
      for (int e = lane; e < 256; e += 32) {
        const int y = e / 16, x = e % 16;
        edge[w][0][e] = r0 + y < m && d + x < k ? A[(size_t)(r0 + y) * k + d + x] : __ushort_as_half(0);
        edge[w][1][e] = d + y < k && c0 + x < n ? B[(size_t)(d + y) * n + c0 + x] : __ushort_as_half(0);
      }
      __syncwarp();
      load_matrix_sync(a, edge[w][0], 16);
      load_matrix_sync(b, edge[w][1], 16);
      __syncwarp();
    }
    mma_sync(sum, a, b, sum);
  }
  store_matrix_sync(out[w], sum, 16, mem_row_major);
  __syncwarp();
  for (int e = lane; e < 256; e += 32)
    if (r0 + e / 16 < m && c0 + e % 16 < n) C[(size_t)(r0 + e / 16) * n + c0 + e % 16] = out[w][e];
}

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  const int lane = threadIdx.x, r0 = blockIdx.y * 16 + lane / 4, c0 = blockIdx.x * 32 + threadIdx.y * 8;
  const auto pair = [](half low, half high) { return __half_as_ushort(low) | (unsigned)__half_as_ushort(high) << 16; };
  const auto at = [](const half* M, int rows, int columns, int r, int c) {
    return r < rows && c < columns ? M[(size_t)r * columns + c] : __ushort_as_half(0);
  };
  float s[4] = {};
  for (int d = lane % 4 * 2; d < k + lane % 4 * 2; d += 16) {
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) {
      const int r = r0 + i % 2 * 8, x = d + i / 2 * 8;
      a[i] = pair(at(A, m, k, r, x), at(A, m, k, r, x + 1));
    }
    for (int i = 0; i < 2; ++i)
      b[i] = pair(at(B, k, n, d + 8 * i, c0 + lane / 4), at(B, k, n, d + 8 * i + 1, c0 + lane / 4));
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; ++i) {
    const int r = r0 + i / 2 * 8, c = c0 + lane % 4 * 2 + i % 2;
    if (r < m && c < n) C[(size_t)r * n + c] = s[i];
  }
}
