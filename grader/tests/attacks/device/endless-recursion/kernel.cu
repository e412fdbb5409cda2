__device__ __noinline__ float deeper(const float* A, int i, int j) {
  volatile float here[8];
  here[i & 7] = A[0];
  return i == -1 ? here[j & 7] : deeper(A, i + 2, j) + here[(i + 1) & 7];
}
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  C[row * n + column] = deeper(A, column, row);
}
