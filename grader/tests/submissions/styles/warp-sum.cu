// A warp makes one element: a strided sum and a reduction by shuffles.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 4, 1, 4)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x;
  if (row >= m) return;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < k; i += warpSize) sum += A[row * k + i] * B[i * n + column];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x == 0) C[row * n + column] = sum;
}
