// A block is a piece of one row.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(128, 1, 128, 1)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  auto column = blockIdx.x * 128u + threadIdx.x;
  auto row = blockIdx.y;
  if (column >= unsigned(n)) return;
  float value = 0.f;
  for (auto p = 0u; p != unsigned(k); ++p) value = fmaf(A[row * k + p], B[p * n + column], value);
  C[row * n + column] = value;
}
