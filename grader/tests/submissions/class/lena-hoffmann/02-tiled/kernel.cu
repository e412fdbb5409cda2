#include "launch_shape.cuh"

constexpr int TILE = 16;
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

extern "C" __global__ void matmul_tile(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int r = TILE * blockIdx.y + y;
  const int c = TILE * blockIdx.x + x;

  float sum = 0.0f;
  for (int t = 0; t < k; t += TILE) {
    a[y][x] = A[r * k + t + x];
    b[y][x] = B[(t + y) * n + c];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  C[r * n + c] = sum;
}
