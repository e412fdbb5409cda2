// A guard for each index, and a sum that begins with the first product.
#include "launch_shape.cuh"
#define B 16
LAUNCH_SHAPE(B, B, B, B)

extern "C" __global__ void matmul_basic(const float* a, const float* b, float* c, int m, int n, int k) {
  const int r = B * blockIdx.y + threadIdx.y;
  if (r >= m) return;
  const int s = B * blockIdx.x + threadIdx.x;
  if (s >= n) return;
  float x = a[r * k] * b[s];
  for (int t = 1; t < k; ++t) x += a[r * k + t] * b[t * n + s];
  c[r * n + s] = x;
}
