// Threads outside return at once; blocks of 32×8, indices from blockDim.
#include "launch_shape.cuh"

constexpr int X = 32, Y = 8;
LAUNCH_SHAPE(X, Y, X, Y)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m || j >= n) {
    return;
  }
  float value = 0;
  for (int l = 0; l < k; l++) value = value + A[i * k + l] * B[l * n + j];
  C[i * n + j] = value;
}
