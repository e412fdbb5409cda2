// A function returns the element or zero.
#include "launch_shape.cuh"

constexpr int S = 16;
LAUNCH_SHAPE(S, S, S, S)

__device__ float or_zero(const float* matrix, int i, int j, int height, int width) {
  return i < height && j < width ? matrix[i * width + j] : 0.0f;
}

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float x[S][S], y[S][S];
  const int a = threadIdx.y, b = threadIdx.x, i = blockIdx.y * S + a, j = blockIdx.x * S + b;
  float sum = 0.0f;
  for (int from = 0; from < k; from += S) {
    x[a][b] = or_zero(A, i, from + b, m, k);
    y[a][b] = or_zero(B, from + a, j, k, n);
    __syncthreads();
    for (int p = 0; p < S; p++) sum += x[a][p] * y[p][b];
    __syncthreads();
  }
  if (i < m && j < n) C[i * n + j] = sum;
}
