// A block is a piece of one column: slow, and right.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(1, 96, 1, 96)

extern "C" __global__ void KERNEL(const float *A, const float *B, float *C, int m, int n, int k)
{
  const int r = blockIdx.y * 96 + threadIdx.y;
  const int c = blockIdx.x;
  if (!(r < m)) return;
  float s = 0.0f;
  for (int i = k - 1; i >= 0; --i)
    s += A[r * k + i] * B[i * n + c];
  C[r * n + c] = s;
}
