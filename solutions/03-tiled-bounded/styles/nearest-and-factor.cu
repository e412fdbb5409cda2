// Loads go to the nearest element that exists, and a factor of zero makes what is outside count nothing.
#include "launch_shape.cuh"

constexpr int WIDE = 32;
LAUNCH_SHAPE(WIDE, WIDE, WIDE, WIDE)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float of_a[WIDE][WIDE], of_b[WIDE][WIDE];
  const int row = blockIdx.y * WIDE + threadIdx.y, column = blockIdx.x * WIDE + threadIdx.x;
  const int near_row = min(row, m - 1), near_column = min(column, n - 1);
  const int phases = (k + WIDE - 1) / WIDE;
  float value = 0.0f;
  for (int phase = 0; phase < phases; ++phase) {
    const int across = phase * WIDE + threadIdx.x, down = phase * WIDE + threadIdx.y;
    of_a[threadIdx.y][threadIdx.x] = A[near_row * k + min(across, k - 1)] * (across < k ? 1.0f : 0.0f);
    of_b[threadIdx.y][threadIdx.x] = B[min(down, k - 1) * n + near_column] * (down < k ? 1.0f : 0.0f);
    __syncthreads();
    for (int q = 0; q < WIDE; ++q) value = fmaf(of_a[threadIdx.y][q], of_b[q][threadIdx.x], value);
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = value;
}
