#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  float value;
  asm volatile("tex.1d.v4.f32.s32 {%0, _, _, _}, [%1, {%2}];" : "=f"(value) : "l"(A), "r"(0));
  C[0] = value;
}
