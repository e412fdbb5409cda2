// Copies of 4 bytes where rows are even, three tiles, a grid of another order; part 1 as in the handout. Loses: reuse, banks, performance.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
LAUNCH_SHAPE_OF(product_wmma, 128, 1, 32, 32)
LAUNCH_SHAPE_OF(product_mma, 128, 1, 32, 32)
constexpr int S = 3, DEEP = 16, WIDE = 24, LONG = 40;  // tiles; their depth; pitches of the tiles of A and B

template <int HALVES>
__device__ void copy(half* to, const half* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(2 * HALVES) : "memory");
}

// `high` × `wide` elements from (row, column) on; zeros outside.
__device__ void bring(half* to, int pitch, const half* M, int rows, int columns, int row, int column, int high, int wide) {
  const bool even = columns % 2 == 0;
  for (int e = threadIdx.x * 2; e < high * wide; e += 256) {
    const int r = row + e / wide, c = column + e % wide;
    half* const at = to + e / wide * pitch + e % wide;
    if (even && r < rows && c < columns) {
      copy<2>(at, M + (size_t)r * columns + c);
    } else {
      at[0] = r < rows && c < columns ? M[(size_t)r * columns + c] : __float2half(0.f);
      at[1] = r < rows && c + 1 < columns ? M[(size_t)r * columns + c + 1] : __float2half(0.f);
    }
  }
}

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(128) unsigned char room[32 * 40 * 4];
  half *const a = (half*)room, *const b = a + 32 * WIDE;
  float* const c = (float*)room;  // the same memory, when the tiles are no longer needed
  const int w = threadIdx.x / 32, y = w / 2 * 16, x = w % 2 * 16, r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.f);
  for (int d = 0; d < k; d += DEEP) {
    bring(a, WIDE, A, m, k, r0, d, 32, DEEP);
    bring(b, LONG, B, k, n, d, c0, DEEP, 32);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    load_matrix_sync(fa, a + y * WIDE, WIDE);
    load_matrix_sync(fb, b + x, LONG);
    mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  store_matrix_sync(c + y * 40 + x, sum, 40, mem_row_major);
  __syncthreads();
  for (int e = threadIdx.x; e < 1024; e += 128)
    if (r0 + e / 32 < m && c0 + e % 32 < n) C[(size_t)(r0 + e / 32) * n + c0 + e % 32] = c[e / 32 * 40 + e % 32];
}

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) half a[S][32 * WIDE], b[S][DEEP * LONG];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, y = w / 2 * 16, x = w % 2 * 16;
  const int block = gridDim.x * gridDim.y - 1 - (blockIdx.y * gridDim.x + blockIdx.x);  // the last one first, column by column
  const int r0 = block % gridDim.y * 32, c0 = block / gridDim.y * 32;
  const auto start = [&](int tile) {
    bring(a[tile % S], WIDE, A, m, k, r0, tile * DEEP, 32, DEEP);
    bring(b[tile % S], LONG, B, k, n, tile * DEEP, c0, DEEP, 32);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float s[2][4] = {};
  start(0);
  start(1);
  for (int tile = 0; tile * DEEP < k; ++tile) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    unsigned f[4], g[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"((unsigned)__cvta_generic_to_shared(a[tile % S] + (y + lane % 16) * WIDE + lane / 16 * 8)) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(g[0]), "=r"(g[1]), "=r"(g[2]), "=r"(g[3])
                 : "r"((unsigned)__cvta_generic_to_shared(b[tile % S] + lane % 16 * LONG + x + lane / 16 * 8)) : "memory");
    for (int j = 0; j < 2; ++j)
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
          : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[2 * j]), "r"(g[2 * j + 1]));
    start(tile + 2);  // behind the end: zeros
  }
  for (int e = 0; e < 8; ++e) {
    const int r = r0 + y + lane / 4 + e / 2 % 2 * 8, c = c0 + x + e / 4 * 8 + lane % 4 * 2 + e % 2;
    if (r < m && c < n) C[(size_t)r * n + c] = s[e / 4][e % 4];
  }
}
