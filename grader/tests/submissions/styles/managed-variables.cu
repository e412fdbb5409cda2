// The loop begins and steps by managed and constant variables.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
__managed__ int step = 1;
__constant__ int start[2] = {0, 0};
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  if (row < m && col < n) {
    for (int i = start[row & 1]; i < k; i += step) sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
  }
}
