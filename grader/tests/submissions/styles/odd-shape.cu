// Blocks of 7×5 threads for 21×10 elements: three columns and two rows a thread, far apart.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(7, 5, 21, 10)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  float sum[2][3] = {};
  const int row = blockIdx.y * 10 + threadIdx.y, column = blockIdx.x * 21 + threadIdx.x;
  int i = 0;
again:
  if (i < k) {
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 3; ++c)
        if (row + 5 * r < m && column + 7 * c < n)
          sum[r][c] += A[(row + 5 * r) * k + i] * B[i * n + column + 7 * c];
    ++i;
    goto again;
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c)
      if (row + 5 * r < m && column + 7 * c < n) C[(row + 5 * r) * n + column + 7 * c] = sum[r][c];
}
