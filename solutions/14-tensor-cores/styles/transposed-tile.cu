// B is transposed on its way to shared memory, so that ldmatrix needs no .trans; one warp a block. Loses: asynchronous, reuse, banks, performance.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
LAUNCH_SHAPE_OF(product_wmma, 32, 1, 16, 16)
LAUNCH_SHAPE_OF(product_mma, 32, 1, 32, 64)

// Element (row, column) of a matrix, 0 outside.
#define AT(M, rows, columns, r, c) ((r) < (rows) && (c) < (columns) ? M[(size_t)(r) * (columns) + (c)] : half{})

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) half tiles[512];
  __shared__ __align__(32) float results[256];
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
#pragma unroll 1
  for (int depth = 0; depth < k; depth += 16) {
    for (int e = threadIdx.x; e < 256; e += 32) {
      tiles[e] = AT(A, m, k, row + e / 16, depth + e % 16);
      tiles[256 + e % 16 * 16 + e / 16] = AT(B, k, n, depth + e / 16, column + e % 16);
    }
    __syncthreads();
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    load_matrix_sync(a, tiles, 16);
    load_matrix_sync(b, tiles + 256, 16);
    mma_sync(sums, a, b, sums);
    __syncthreads();
  }
  store_matrix_sync(results, sums, 16, mem_col_major);
  __syncthreads();
  for (int e = threadIdx.x; e < 256; e += 32)
    if (row + e / 16 < m && column + e % 16 < n) C[(size_t)(row + e / 16) * n + column + e % 16] = results[e % 16 * 16 + e / 16];
}

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) half a_tile[64][16], b_tile[32][16];
  const int lane = threadIdx.x, row = blockIdx.y * 64, column = blockIdx.x * 32;
  float sums[4][4][4] = {};
  for (int depth = 0; depth < k; depth += 16) {
    for (int e = lane; e < 64 * 16; e += 32) a_tile[e / 16][e % 16] = AT(A, m, k, row + e / 16, depth + e % 16);
    for (int e = lane; e < 32 * 16; e += 32) b_tile[e % 32][e / 32] = AT(B, k, n, depth + e / 32, column + e % 32);
    __syncthreads();
    unsigned b[2][4];  // of 16 columns: depths 0 to 7 and 8 to 15 of 8 columns, then of the other 8
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half* from = &b_tile[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j][2]), "=r"(b[j][3])
                   : "l"(__cvta_generic_to_shared(from))
                   : "memory");
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned a[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "l"(__cvta_generic_to_shared(&a_tile[i * 16 + lane % 16][lane / 16 * 8]))
                   : "memory");
#pragma unroll
      for (int j = 0; j < 4; ++j)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j / 2][j % 2 * 2]), "r"(b[j / 2][j % 2 * 2 + 1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < 64; ++e) {
    const int i = e / 16, j = e / 4 % 4, part = e % 4;
    const int r = row + i * 16 + part / 2 * 8 + lane / 4, c = column + j * 8 + lane % 4 * 2 + part % 2;
    if (r < m && c < n) C[(size_t)r * n + c] = sums[i][j][part];
  }
}
