#include "launch_shape.cuh"

// works for every grid size because of the strides
LAUNCH_SHAPE(64, 4, 64, 4)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y) {
    for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < n; col += gridDim.x * blockDim.x) {
      double sum = 0.0;  // double to lose less
      for (int i = 0; i < k; i++) sum += (double)A[row * k + i] * B[i * n + col];
      C[row * n + col] = (float)sum;
    }
  }
}
