// A one-dimensional block whose threads take their elements along a Z: bits of the number, row and column in turns.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(256, 1, 16, 16)

__device__ int every_second_bit(int bits) {
  int out = 0;
  for (int i = 0; i < 4; ++i) out |= (bits >> 2 * i & 1) << i;
  return out;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + every_second_bit(threadIdx.x >> 1);
  const int column = blockIdx.x * 16 + every_second_bit(threadIdx.x);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  unsigned i = k;
  while (i-- != 0) sum = __fmaf_rn(A[row * k + i], B[i * n + column], sum);
  C[row * n + column] = sum;
}
