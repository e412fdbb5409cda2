// A block smaller than its part of C walks over it in strides.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int WIDTH = 40, HEIGHT = 24;
LAUNCH_SHAPE(16, 4, WIDTH, HEIGHT)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int last_row = min(m, int(blockIdx.y + 1) * HEIGHT);
  const int last_column = min(n, int(blockIdx.x + 1) * WIDTH);
  for (int row = blockIdx.y * HEIGHT + threadIdx.y; row < last_row; row += blockDim.y)
    for (int column = blockIdx.x * WIDTH + threadIdx.x; column < last_column; column += blockDim.x) {
      float sum = 0.0f;
      for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
      C[row * n + column] = sum;
    }
}
