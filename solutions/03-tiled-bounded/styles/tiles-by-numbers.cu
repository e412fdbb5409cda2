// Blocks of 128 threads in a row bring the elements of both tiles by their numbers; each thread computes two.
#include "launch_shape.cuh"

constexpr int W = 16, COUNT = W * W, THREADS = COUNT / 2;
LAUNCH_SHAPE(THREADS, 1, W, W)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float A_s[COUNT], B_s[COUNT];
  const int t = threadIdx.x, first_row = blockIdx.y * W, first_column = blockIdx.x * W;
  float one = 0.0f, two = 0.0f;
  for (int base = 0; base < k; base += W) {
    for (int e = t; e < COUNT; e += THREADS) {
      const int y = e / W, x = e % W;
      A_s[e] = 0.0f;
      B_s[e] = 0.0f;
      if (first_row + y < m && base + x < k) A_s[e] = A[(first_row + y) * k + base + x];
      if (base + y < k && first_column + x < n) B_s[e] = B[(base + y) * n + first_column + x];
    }
    __syncthreads();
    for (int d = 0; d < W; ++d) {
      const float b = B_s[d * W + t % W];
      one += A_s[t / W * W + d] * b;
      two += A_s[(t / W + W / 2) * W + d] * b;
    }
    __syncthreads();
  }
  const int upper = first_row + t / W, lower = upper + W / 2, column = first_column + t % W;
  if (column >= n) return;
  if (upper < m) C[upper * n + column] = one;
  if (lower < m) C[lower * n + column] = two;
}
