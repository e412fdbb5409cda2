// Small functions in place of everything.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const auto place = [](unsigned block, unsigned size, unsigned thread) { return int(block * size + thread); };
  const int row = place(blockIdx.y, blockDim.y, threadIdx.y), column = place(blockIdx.x, blockDim.x, threadIdx.x);
  const auto inside = [=](int r, int c) { return r < m && c < n; };
  const auto product = [=](int i) { return A[row * k + i] * B[i * n + column]; };
  const auto sum = [=](auto self, int first, int count) -> float {
    float total = 0.0f;
    for (int i = first; i < first + count; ++i) total += self(i);
    return total;
  };
  if (inside(row, column)) C[row * n + column] = sum(product, 0, k);
}
