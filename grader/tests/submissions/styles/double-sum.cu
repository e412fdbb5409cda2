// Sums in double precision.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(8, 8, 8, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i) sum += static_cast<double>(A[row * k + i]) * B[i * n + column];
  C[row * n + column] = static_cast<float>(sum);
}
