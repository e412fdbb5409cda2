// 64-bit indices everywhere.
// Fits: any size.
#include "launch_shape.cuh"
#include <cstdint>
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (std::int64_t i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
  }
}
