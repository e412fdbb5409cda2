// Tiles in shared memory already, with zeros outside.
#include "launch_shape.cuh"

constexpr int W = 16;
LAUNCH_SHAPE(W, W, W, W)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[W][W], b[W][W];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * W + ty, col = blockIdx.x * W + tx;
  float sum = 0.0f;
  for (int p = 0; p < k; p += W) {
    a[ty][tx] = row < m && p + tx < k ? A[row * k + p + tx] : 0.0f;
    b[ty][tx] = p + ty < k && col < n ? B[(p + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < W; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
