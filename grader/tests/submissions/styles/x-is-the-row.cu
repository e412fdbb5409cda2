// Threads along x go down a column of C: uncoalesced, and right.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(8, 32, 32, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 8 + threadIdx.x;
  int column = blockIdx.x * 32 + threadIdx.y;
  float sum = 0.0f;
  if (row < m && column < n) {
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
  }
}
