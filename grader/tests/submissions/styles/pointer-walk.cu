// Two pointers that move along, and no index.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m or column >= n) return;
  const float *a = A + row * k, *b = B + column, *const end = a + k;
  float sum = 0.0f;
  do {
    sum += *a++ * *b;
    b += n;
  } while (a != end);
  *(C + row * n + column) = sum;
}
