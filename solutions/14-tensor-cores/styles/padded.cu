// Part 2 with padded rows, two tiles, mma of depth 8 and ldmatrix.x2; 64-bit sizes. Loses: performance.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
constexpr int T = 64, D = 64, PA = D + 8, PB = T + 8;
LAUNCH_SHAPE_OF(product_wmma, 64, 1, 32, 32)
LAUNCH_SHAPE_OF(product_mma, 128, 1, T, T)

struct View {
  const half* data;
  long long rows, columns;
  __device__ half operator()(long long r, long long c) const {
    return r < rows && c < columns ? __ldg(data + r * columns + c) : __float2half(0);
  }
};

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  using namespace nvcuda;
  __shared__ __align__(32) half a[32][24], b[16][40];
  __shared__ __align__(32) float c[2][16][32];
  const View va{A, m, k}, vb{B, k, n};
  const int w = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> s[2];
  wmma::fill_fragment(s[0], 0);
  wmma::fill_fragment(s[1], 0);
  for (int d = 0; d < k; d += 16) {
    for (int e = threadIdx.x; e < 512; e += 64) {
      a[e / 16][e % 16] = va(blockIdx.y * 32 + e / 16, d + e % 16);
      b[e / 32][e % 32] = vb(d + e / 32, blockIdx.x * 32 + e % 32);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, a[w * 16], 24);
    for (int j = 0; j < 2; ++j) {
      wmma::load_matrix_sync(fb, &b[0][j * 16], 40);
      wmma::mma_sync(s[j], fa, fb, s[j]);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&c[w][0][0], s[0], 32, wmma::mem_row_major);
  wmma::store_matrix_sync(&c[w][0][16], s[1], 32, wmma::mem_row_major);
  __syncwarp();
  for (int y = 0; y < 16; ++y) {
    const long long r = blockIdx.y * 32 + w * 16 + y, q = blockIdx.x * 32 + threadIdx.x % 32;
    if (r < m && q < n) C[r * n + q] = c[w][y][threadIdx.x % 32];
  }
}

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) half a[2][T][PA], b[2][D][PB];
  const int t = threadIdx.x, lane = t % 32, wr = t / 64 * 32, wc = t / 32 % 2 * 32;
  const long long r0 = blockIdx.y * T, c0 = blockIdx.x * T;
  const View va{A, m, k}, vb{B, k, n};
  const auto chunk = [](half* to, const View& from, long long r, long long c, bool fast) {
    if (!fast)
      for (int i = 0; i < 8; ++i) to[i] = from(r, c + i);
    else if (r < from.rows && c < from.columns)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from.data + r * from.columns + c) : "memory");
    else
      *(uint4*)to = make_uint4(0, 0, 0, 0);
  };
  const bool fast = n % 8 == 0 && k % 8 == 0;
  const auto bring = [&](int tile) {
    for (int e = t; e < 512; e += 128) {
      chunk(&a[tile & 1][e / 8][e % 8 * 8], va, r0 + e / 8, tile * D + e % 8 * 8, fast);
      chunk(&b[tile & 1][e / 8][e % 8 * 8], vb, tile * D + e / 8, c0 + e % 8 * 8, fast);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float s[2][4][4] = {};
  bring(0);
  for (int tile = 0; tile * D < k; ++tile) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if ((tile + 1) * D < k) bring(tile + 1);
    for (int d = 0; d < D; d += 8) {
      unsigned fa[2][2], fb[4];
      for (int i = 0; i < 2; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(fa[i][0]), "=r"(fa[i][1])
                     : "r"(shared_address(&a[tile & 1][wr + i * 16 + lane % 16][d])) : "memory");
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                   : "r"(shared_address(&b[tile & 1][d + lane % 8][wc + lane / 8 * 8])) : "memory");
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
              : "+f"(s[i][j][0]), "+f"(s[i][j][1]), "+f"(s[i][j][2]), "+f"(s[i][j][3])
              : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fb[j]));
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        const long long r = r0 + wr + i * 16 + lane / 4 + e / 2 * 8, c = c0 + wc + j * 8 + lane % 4 * 2 + e % 2;
        if (r < m && c < n) C[r * n + c] = s[i][j][e];
      }
}
