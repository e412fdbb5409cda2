#include "launch_shape.cuh"
// A loop of 100,000 turns, unrolled by hand: the compiler cannot decline.
#define TEN(body) body body body body body body body body body body
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  TEN(TEN(TEN(TEN(TEN(sum += __sinf(sum) * A[(row * k + (int)sum) % (m * k)] * B[((int)sum + column) % (k * n)];)))))
  C[row * n + column] = sum;
}
