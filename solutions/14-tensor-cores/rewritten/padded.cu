// A copy of the style of this name: flat tiles by pointers that are swapped, functions for lambdas, stores one by one.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"
LAUNCH_SHAPE_OF(product_mma, 128, 1, 64, 64)
LAUNCH_SHAPE_OF(product_wmma, 64, 1, 32, 32)
#define PITCH 72

__device__ half get(const half* p, size_t h, size_t w, size_t y, size_t x) {
  if (y >= h || x >= w) return __float2half(0.0f);
  return p[y * w + x];
}

__device__ unsigned addr(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void eight(half* to, const half* p, size_t h, size_t w, size_t y, size_t x, int vectors) {
  if (vectors) {
    if (y >= h || x >= w) {
      uint4 none;
      none.x = none.y = none.z = none.w = 0;
      *reinterpret_cast<uint4*>(to) = none;
      return;
    }
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(addr(to)), "l"(&p[y * w + x]) : "memory");
    return;
  }
  int q = 0;
  while (q < 8) {
    to[q] = get(p, h, w, y, x + q);
    ++q;
  }
}

__device__ void tiles(half* a, half* b, const half* A, const half* B, int m, int n, int k, int d) {
  int vectors = ((n | k) & 7) == 0;
  int x = (threadIdx.x & 7) * 8;
  for (int y = threadIdx.x >> 3; y < 64; y += 16) {
    eight(b + y * PITCH + x, B, k, n, d + y, blockIdx.x * 64 + x, vectors);
    eight(a + y * PITCH + x, A, m, k, blockIdx.y * 64 + y, d + x, vectors);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) half a0[64 * PITCH], a1[64 * PITCH];
  __shared__ __align__(16) half b0[64 * PITCH];
  __shared__ __align__(16) half b1[64 * PITCH];
  int l = threadIdx.x & 31, w = threadIdx.x >> 5;
  int y0 = (w >> 1) * 32, x0 = (w & 1) * 32;
  float acc[2][4][4];
  for (int i = 0; i < 32; ++i) (&acc[0][0][0])[i] = 0.0f;
  half *a = a0, *b = b0, *na = a1, *nb = b1;
  tiles(a, b, A, B, m, n, k, 0);
  for (int d = 0; d < k; d += 64) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (d + 64 < k) tiles(na, nb, A, B, m, n, k, d + 64);
#pragma unroll
    for (int s = 0; s < 64; s += 8) {
      unsigned p, q, r, t;
      half* from = b + (s + (l & 7)) * PITCH + x0 + (l >> 3) * 8;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(p), "=r"(q), "=r"(r), "=r"(t) : "r"(addr(from)) : "memory");
      unsigned right[4] = {p, q, r, t};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned u, v;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(u), "=r"(v)
                     : "r"(addr(a + (y0 + 16 * i + (l & 15)) * PITCH + s)) : "memory");
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          float* c = acc[i][j];
          asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
              : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(u), "r"(v), "r"(right[j]));
        }
      }
    }
    half* swap = a; a = na; na = swap;
    swap = b; b = nb; nb = swap;
  }
  for (int i = 0; i < 2; ++i) {
    int y = blockIdx.y * 64 + y0 + 16 * i + (l >> 2);
    for (int j = 0; j < 4; ++j) {
      int x = blockIdx.x * 64 + x0 + 8 * j + (l & 3) * 2;
      if (y < m) {
        if (x < n) C[(size_t)y * n + x] = acc[i][j][0];
        if (x + 1 < n) C[(size_t)y * n + x + 1] = acc[i][j][1];
      }
      if (y + 8 < m) {
        if (x < n) C[(size_t)(y + 8) * n + x] = acc[i][j][2];
        if (x + 1 < n) C[(size_t)(y + 8) * n + x + 1] = acc[i][j][3];
      }
    }
  }
}

extern "C" __global__ void product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  namespace w = nvcuda::wmma;
  __shared__ __align__(32) float out[2 * 16 * 32];
  __shared__ __align__(32) half sb[16 * 40], sa[32 * 24];
  int half_of = threadIdx.x >> 5, l = threadIdx.x & 31;
  w::fragment<w::accumulator, 16, 16, 16, float> left, right;
  w::fragment<w::matrix_b, 16, 16, 16, half, w::row_major> bl, br;
  w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> a;
  w::fill_fragment(right, 0.0f);
  w::fill_fragment(left, 0.0f);
  int d = 0;
  while (d < k) {
    for (int y = half_of; y < 16; y += 2) sb[y * 40 + l] = get(B, k, n, d + y, blockIdx.x * 32 + l);
    for (int y = threadIdx.x >> 4; y < 32; y += 4) sa[y * 24 + (l & 15)] = get(A, m, k, blockIdx.y * 32 + y, d + (l & 15));
    __syncthreads();
    w::load_matrix_sync(bl, sb, 40);
    w::load_matrix_sync(br, sb + 16, 40);
    w::load_matrix_sync(a, sa + half_of * 16 * 24, 24);
    w::mma_sync(left, a, bl, left);
    w::mma_sync(right, a, br, right);
    __syncthreads();
    d += 16;
  }
  float* mine = out + half_of * 512;
  w::store_matrix_sync(mine + 16, right, 32, w::mem_row_major);
  w::store_matrix_sync(mine, left, 32, w::mem_row_major);
  __syncwarp();
  int x = blockIdx.x * 32 + l;
  if (x >= n) return;
  for (int y = 0; y < 16; ++y)
    if (blockIdx.y * 32 + half_of * 16 + y < m) C[(size_t)(blockIdx.y * 32 + half_of * 16 + y) * n + x] = mine[y * 32 + l];
}
