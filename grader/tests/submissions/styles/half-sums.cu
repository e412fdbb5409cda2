// Two threads share an element: each takes half of the depth, one adds both.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float other[8][16];
  const int x = threadIdx.x, y = threadIdx.y % 8;
  const bool second = threadIdx.y >= 8;
  const int row = blockIdx.y * 8 + y, column = blockIdx.x * 16 + x;
  const bool inside = row < m && column < n;
  float sum = 0.0f;
  if (inside)
    for (int i = second ? k / 2 : 0; i < (second ? k : k / 2); ++i) sum += A[row * k + i] * B[i * n + column];
  if (second) other[y][x] = sum;
  __syncthreads();
  if (inside && !second) C[row * n + column] = sum + other[y][x];
}
