// Sums in shared memory, one column of it a thread: the tile of C is the accumulator.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int W = 32, H = 16;
LAUNCH_SHAPE(W, 1, W, H)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  extern __shared__ float unused[];
  __shared__ float sums[H][W];
  const int x = threadIdx.x, first_row = blockIdx.y * H, column = blockIdx.x * W + x;
  const int rows = min(H, m - first_row);
  for (int y = 0; y < rows; ++y) sums[y][x] = 0.0f;
  if (column >= n) return;
  for (int i = 0; i < k; ++i) {
    const float b = B[i * n + column];
    for (int y = 0; y < rows; ++y) sums[y][x] += A[(first_row + y) * k + i] * b;
  }
  for (int y = 0; y < rows; ++y) C[(first_row + y) * n + column] = sums[y][x];
}
