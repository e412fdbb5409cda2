// Blocks take their places in C column by column.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int row = block % gridDim.y * 16 + threadIdx.y;
  const int column = block / gridDim.y * 16 + threadIdx.x;
  float sum = 0.0f;
  if (row < m && column < n) {
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
  }
}
