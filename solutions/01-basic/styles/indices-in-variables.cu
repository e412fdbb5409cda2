// Each index of an element is a variable before it is used.
#include "launch_shape.cuh"

constexpr int SIDE = 32;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x >= n || y >= m) return;
  float accumulator = 0.0f;
  for (int step = 0; step < k; step++) {
    int index_a = y * k + step;
    int index_b = step * n + x;
    float product = A[index_a] * B[index_b];
    accumulator += product;
  }
  int index_c = y * n + x;
  C[index_c] = accumulator;
}
