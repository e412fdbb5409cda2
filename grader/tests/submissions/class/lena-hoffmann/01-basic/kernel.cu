#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

template <typename T>
__device__ T dot(const T* row, const T* column, int stride, int length) {
  T sum = T(0);
  for (int i = 0; i < length; ++i) sum += row[i] * column[i * stride];
  return sum;
}

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int r = blockDim.y * blockIdx.y + threadIdx.y;
  const int c = blockDim.x * blockIdx.x + threadIdx.x;
  if (r < m && c < n) C[r * n + c] = dot(A + r * k, B + c, n, k);
}
