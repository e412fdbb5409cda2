__global__ void child(float* C) { C[0] = 1; }
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  if (threadIdx.x + threadIdx.y == 0) child<<<1, 1>>>(C);
}
