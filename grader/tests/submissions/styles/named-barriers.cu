// Four warps with a tile each; pairs of warps meet at barriers of their own, by PTX.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(128, 1, 16, 8)

__device__ void meet(int pair) { asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory"); }

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[2][8][8], b[2][8][8];  // of each pair of warps
  const int pair = threadIdx.x / 64, inside = threadIdx.x % 64, x = inside % 8, y = inside / 8;
  const int row = blockIdx.y * 8 + y, column = blockIdx.x * 16 + 8 * pair + x;
  float sum = 0;
  for (int from = 0; from < k; from += 8) {
    a[pair][y][x] = row < m && from + x < k ? A[row * k + from + x] : 0.0f;
    b[pair][y][x] = column < n && from + y < k ? B[(from + y) * n + column] : 0.0f;
    meet(pair);
    for (int i = 0; i < 8; ++i) sum += a[pair][y][i] * b[pair][i][x];
    meet(pair);
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
