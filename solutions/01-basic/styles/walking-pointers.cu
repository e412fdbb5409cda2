// Pointers walk along the row of A and down the column of B.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int y = threadIdx.y + 8 * blockIdx.y, x = threadIdx.x + 32 * blockIdx.x;
  if (y >= m || x >= n) return;
  const float* left = A + y * k;
  const float* const end = left + k;
  float dot = 0.0f;
  for (const float* top = B + x; left != end; top += n) dot = fmaf(*left++, *top, dot);
  C[y * n + x] = dot;
}
