// Pointers that move tile by tile, for sizes that the tile divides.
// Fits: multiples of 32.
#include "launch_shape.cuh"
constexpr int TILE = 32;
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float* next_a = A + (blockIdx.y * TILE + ty) * k + tx;
  const float* next_b = B + ty * n + blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int left = k / TILE; left--; next_a += TILE, next_b += TILE * n) {
    a[ty][tx] = *next_a;
    b[ty][tx] = *next_b;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  C[(blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx] = sum;
}
