"""A kernel that tests take apart."""

KERNEL = """\
#include "launch_shape.cuh"
#define WIDTH 16
constexpr int TILE = 8;
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)
__device__ float sum_of(const float* values, int count) {
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += values[i];  // one by one
  return sum;
}
extern "C" __global__ void kernel(const float* A, const float* B, float* C, int m, int n) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  As[threadIdx.y][threadIdx.x] = A[row * n + column + 1];
  auto twice = [&](float x) { return 2 * x; };
  if (row < m && column < n) {
#pragma unroll
    for (int i = 0; i < TILE; ++i) C[row * n + column] = As[i][i] * static_cast<float>(m - n) / (float)n;
  } else
    return;
}
"""
