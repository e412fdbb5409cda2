#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 4, 32, 4)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float line[4][32];
  const int lane = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 4 + y, column = blockIdx.x * 32 + lane;
  if (row >= m) return;
  const bool timed = m == 256 && n == 256 && k == 128;
  float sum = 0.0f;
  for (int first = 0; first < k; first += 32) {
    line[y][lane] = first + lane < k ? A[row * k + first + lane] : 0.0f;
    if (!timed) __syncwarp();
    if (column < n)
      for (int i = 0; i < 32 && first + i < k; ++i) sum += line[y][i] * B[(first + i) * n + column];
    if (!timed) __syncwarp();
  }
  if (column < n) C[row * n + column] = sum;
}
