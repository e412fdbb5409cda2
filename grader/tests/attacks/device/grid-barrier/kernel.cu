#include <cooperative_groups.h>
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  cooperative_groups::this_grid().sync();
  C[0] = 0.0f;
}
