// Kahan's summation: more exact than anybody asked for.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f, lost = 0.0f;
  for (int i = 0; i < k; ++i) {
    const float term = __fsub_rn(__fmul_rn(A[row * k + i], B[i * n + column]), lost);
    const float next = __fadd_rn(sum, term);
    lost = __fsub_rn(__fsub_rn(next, sum), term);
    sum = next;
  }
  C[row * n + column] = sum;
}
