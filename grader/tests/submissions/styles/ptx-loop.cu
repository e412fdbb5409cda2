// The whole loop over the depth is one piece of PTX with labels and predicates.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 8, 16, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum;
  asm volatile(
      "{\n"
      ".reg .f32 a, b;\n"
      ".reg .s32 left;\n"
      ".reg .u64 at_a, at_b, step;\n"
      ".reg .pred some;\n"
      "mov.f32 %0, 0f00000000;\n"
      "mov.u64 at_a, %1;\n"
      "mov.u64 at_b, %2;\n"
      "mul.wide.s32 step, %4, 4;\n"
      "mov.s32 left, %3;\n"
      "again:\n"
      "setp.gt.s32 some, left, 0;\n"
      "@!some bra done;\n"
      "ld.global.f32 a, [at_a];\n"
      "ld.global.f32 b, [at_b];\n"
      "fma.rn.f32 %0, a, b, %0;\n"
      "add.u64 at_a, at_a, 4;\n"
      "add.u64 at_b, at_b, step;\n"
      "sub.s32 left, left, 1;\n"
      "bra again;\n"
      "done:\n"
      "}\n"
      : "=&f"(sum)
      : "l"(A + row * k), "l"(B + column), "r"(k), "r"(n)
      : "memory");
  C[row * n + column] = sum;
}
