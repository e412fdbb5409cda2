// __restrict__ parameters and loads through the read-only cache.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 4, 32, 4)

extern "C" __global__ void __launch_bounds__(128) KERNEL(const float* __restrict__ A, const float* __restrict__ B,
                                                         float* __restrict__ C, const int m, const int n, const int k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
#pragma unroll 8
  for (int i = 0; i < k; ++i) sum = __fmaf_rn(__ldg(A + row * k + i), __ldg(&B[i * n + column]), sum);
  C[row * n + column] = sum;
}
