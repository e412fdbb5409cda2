// The depth is split among four layers of threads, which add into shared memory by atomics.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int W = 16, H = 4, LAYERS = 4;
LAUNCH_SHAPE(W, H* LAYERS, W, H)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float sums[H][W];
  const int x = threadIdx.x, y = threadIdx.y % H, layer = threadIdx.y / H;
  const int row = blockIdx.y * H + y, column = blockIdx.x * W + x;
  if (layer == 0) sums[y][x] = 0.0f;
  __syncthreads();
  if (row < m && column < n) {
    float part = 0.0f;
    for (int i = layer; i < k; i += LAYERS) part += A[row * k + i] * B[i * n + column];
    atomicAdd(&sums[y][x], part);
  }
  __syncthreads();
  if (layer == LAYERS - 1 && row < m && column < n) C[row * n + column] = sums[y][x];
}
