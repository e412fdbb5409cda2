#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  asm volatile("bar.sync %0, %1;" ::"r"(16 + m), "r"(7) : "memory");
  C[0] = 0.0f;
}
