#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void aaa(float* x) {
  x[0] = 1;
  asm volatile(R"(ret; }
.func(.param .b32 sum) dot(.param .b64 p, .param .b64 q, .param .b32 l, .param .b32 d) {
  .reg .pred more; .reg .u32 i, k, pitch; .reg .u64 a, b, step; .reg .f32 x, y, z;
  ld.param.u64 a, [p]; ld.param.u64 b, [q]; ld.param.u32 k, [l]; ld.param.u32 pitch, [d];
  mov.u32 i, 0; mov.f32 z, 0f00000000; cvt.u64.u32 step, pitch;
more_products:
  ld.global.f32 x, [a]; ld.global.f32 y, [b]; fma.rn.f32 z, x, y, z;
  add.u64 a, a, 4; add.u64 b, b, step; add.u32 i, i, 1;
  setp.lt.u32 more, i, k; @more bra more_products;
  st.param.f32 [sum], z; ret; }
.entry bbb() {)");
}

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  asm volatile(R"({
  .param .b64 a; .param .b64 b; .param .b32 depth; .param .b32 pitch; .param .b32 r;
  st.param.b64 [a], %1; st.param.b64 [b], %2; st.param.b32 [depth], %3; st.param.b32 [pitch], %4;
  call (r), dot, (a, b, depth, pitch); ld.param.f32 %0, [r]; })"
               : "=f"(sum)
               : "l"(A + row * k), "l"(B + column), "r"(k), "r"(n * 4));
  C[row * n + column] = sum;
}
