// Four sums side by side and a remainder with a switch that falls through.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  const float* a = A + row * k;
  const float* b = B + column;
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const int whole = k & ~3;
  for (int i = 0; i < whole; i += 4) {
    s0 += a[i] * b[i * n];
    s1 += a[i + 1] * b[(i + 1) * n];
    s2 += a[i + 2] * b[(i + 2) * n];
    s3 += a[i + 3] * b[(i + 3) * n];
  }
  switch (k & 3) {
    case 3: s2 += a[whole + 2] * b[(whole + 2) * n]; [[fallthrough]];
    case 2: s1 += a[whole + 1] * b[(whole + 1) * n]; [[fallthrough]];
    case 1: s0 += a[whole] * b[whole * n];
  }
  C[row * n + column] = (s0 + s1) + (s2 + s3);
}
