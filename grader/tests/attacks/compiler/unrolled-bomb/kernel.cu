#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 1000; ++i)
#pragma unroll
    for (int j = 0; j < 1000; ++j)
#pragma unroll
      for (int l = 0; l < 1000; ++l) sum += __sinf(sum) * A[(row * k + i * j) % (m * k)] * B[(i * l + column) % (k * n)];
  C[row * n + column] = sum;
}
