// Tiles of 32, phases counted by their first depth.
#include "launch_shape.cuh"

constexpr int T = 32;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * T + y, j = blockIdx.x * T + x;
  float c = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[y][x] = A[i * k + (first + x)];
    b[y][x] = B[(first + y) * n + j];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < T; ++l) c += a[y][l] * b[l][x];
    __syncthreads();
  }
  C[i * n + j] = c;
}
