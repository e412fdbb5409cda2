// Products with even and odd numbers have sums of their own.
#include "launch_shape.cuh"

constexpr int ACROSS = 32, DOWN = 4;
LAUNCH_SHAPE(ACROSS, DOWN, ACROSS, DOWN)

__device__ float product(const float* A, const float* B, int a, int b) { return A[a] * B[b]; }

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int2 place = make_int2(blockIdx.x * ACROSS + threadIdx.x, blockIdx.y * DOWN + threadIdx.y);
  const bool exists = place.y < m && place.x < n;
  if (!exists) return;
  float even = 0.0f, odd = 0.0f;
  const int row = place.y * k;
  int i = 0;
  for (; i + 1 < k; i += 2) {
    even += product(A, B, row + i, i * n + place.x);
    odd += product(A, B, row + i + 1, (i + 1) * n + place.x);
  }
  if (i < k) even += product(A, B, row + i, i * n + place.x);
  C[place.y * n + place.x] = even + odd;
}
