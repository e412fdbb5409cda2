// For the PTX parser: the rarer instructions, inline assembly and vector operands. Never launched.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void halves(__half* o, __half2* p, __nv_bfloat16* b, __nv_bfloat162* c, float* f) {
  const int i = threadIdx.x;
  o[i] = __hadd(o[i], o[i + 1]);
  p[i] = __hfma2(p[i], p[i], p[i]);
  b[i] = __hmul(b[i], b[i + 1]);
  c[i] = __hmax2(c[i], c[i + 1]);
  f[i] = __half2float(o[i]) + __bfloat162float(b[i]);
  o[i] = hexp(o[i]);
  p[i] = h2sqrt(p[i]);
  if (__hgt(o[i], o[2])) o[3] = __float2half_rz(f[2]);
}

__global__ void tensor(half* a, half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void warp(unsigned* o, int* s) {
  o[0] = __ballot_sync(~0u, s[0] > 3);
  o[1] = __shfl_xor_sync(~0u, s[1], 4);
  o[2] = __shfl_down_sync(0xffff, s[2], 2, 16);
  o[3] = __match_any_sync(~0u, s[1]);
  int all;
  o[4] = __match_all_sync(~0u, s[1], &all) + all;
  o[5] = __activemask() + __syncthreads_count(s[1]) + __any_sync(~0u, s[0]);
  __syncwarp();
  o[6] = __byte_perm(s[1], s[2], 0x1234) + __vabsdiffu4(s[1], s[2]) + __dp4a(s[1], s[2], s[3]);
  o[7] = __isGlobal(s) + __cvta_generic_to_shared(s);
  __nanosleep(20);
}

__global__ void atomics(int* s, unsigned* o, unsigned long long* l, double* d, float* f) {
  atomicAdd(s, 1);
  atomicCAS(l, 1ull, 2ull);
  atomicAdd(d, 1.0);
  atomicAdd(f, 2.f);
  atomicInc(o, 3);
  atomicXor_block(s, 3);
  atomicAdd_system(s, 1);
  if (atomicAnd(s, 2)) o[9] = 0;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
}

__global__ void mathematics(float* f, double* d, long long* l, int* s) {
  f[0] = sinf(f[7]) + powf(f[1], f[2]) + fmodf(f[1], f[2]) + __sinf(f[9]) + rsqrtf(f[2]) + truncf(f[3]);
  d[0] = sin(d[2]) + exp(d[1]) + sqrt(d[5]) / d[6] + rint(d[2]);
  l[5] = s[1] / l[4] + __umul64hi(l[1], l[2]) + clock64();
  s[2] = __float2int_rn(f[2]) + __double2uint_rz(d[2]) + __mulhi(s[1], s[2]) + __funnelshift_l(s[1], s[2], s[3]);
}

__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t u, float* o) {
  o[0] = tex2D<float>(t, 1.5f, 2.f) + tex1Dfetch<float>(t, 3) + tex3D<float4>(t, 1.f, 2.f, 3.f).x;
  surf2Dwrite(o[2], u, 4, 5);
}

__global__ void copies(int4* g) {
  __shared__ int4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &g[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  g[32 + threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void groups(int* o) {
  auto grid = cg::this_grid();
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  const int v = cg::reduce(tile, o[threadIdx.x], cg::plus<int>());
  grid.sync();
  auto together = cg::coalesced_threads();
  o[together.thread_rank()] = v;
  tile.sync();
}

__global__ void assembly(int* o, long long* p) {
  int x;
  asm volatile(
      "{ .reg .pred p; .reg .b32 t<3>; setp.lt.s32 p, %1, 5; @p mov.u32 t1, 3; @!p mov.u32 t1, 4; mov.b32 %0, t1; }"
      : "=r"(x)
      : "r"(o[1]));
  o[0] = x;
  asm volatile("{ .reg .pred p; again: setp.ne.s32 p, %0, %0; @p bra again; bra done; done: }" ::"r"(x));
  asm volatile("{ .reg .pred p; again: setp.ne.s32 p, %0, %0; @p bra again; bra done; done: }" ::"r"(x + 1));
  asm volatile("bar.sync 1, 64;");
  asm("{\n\t.reg .pred %%p1;\n\t.reg .pred %%q;\n\tsetp.lt.s32 %%p1|%%q, %1, 5;\n\tselp.b32 %0, 1, 0, %%q;\n}"
      : "=r"(x)
      : "r"(o[2]));
  o[3] = x;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("ld.global.L1::no_allocate.L2::128B.v2.u64 {%0,%1},[%2];" : "=l"(p[0]), "=l"(p[1]) : "l"(p + 2));
}
