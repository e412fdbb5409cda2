// Rows of A as float4 where they are aligned, one by one where not.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  int i = 0;
  if (k % 4 == 0) {
    const float4* four = reinterpret_cast<const float4*>(A + row * k);
    for (; i < k; i += 4) {
      const float4 a = four[i / 4];
      sum += a.x * B[i * n + column] + a.y * B[(i + 1) * n + column] + a.z * B[(i + 2) * n + column] +
             a.w * B[(i + 3) * n + column];
    }
  }
  for (; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}
