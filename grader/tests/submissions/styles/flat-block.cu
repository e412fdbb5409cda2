// A one-dimensional block whose threads work out their own row and column.
// Fits: any size.
#include "launch_shape.cuh"
#define SIDE 16
LAUNCH_SHAPE(SIDE * SIDE, 1, SIDE, SIDE)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int id = threadIdx.x;
  const int y = blockIdx.y * SIDE + id / SIDE;
  const int x = blockIdx.x * SIDE + id % SIDE;
  if (y < m) {
    if (x < n) {
      float acc = 0;
      int i = 0;
      while (i < k) {
        acc += A[y * k + i] * B[i * n + x];
        ++i;
      }
      C[y * n + x] = acc;
    }
  }
}
