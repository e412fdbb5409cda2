// Views of the standard library: mdspan with computed strides, an array of sums, a byte-wise copy.
// Fits: any size.
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include "launch_shape.cuh"
LAUNCH_SHAPE(8, 16, 16, 16)

using Read = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
using Write = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const Read a(A, m, k), b(B, k, n);
  const Write c(C, m, n);
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x * 2;
  cuda::std::array<float, 2> sums{};
  if (row >= m) return;
  for (int i = 0; i < k; ++i)
    for (int e = 0; e < 2; ++e)
      if (column + e < n) sums[e] += a(row, i) * b(i, column + e);
  for (int e = 0; e < 2; ++e)
    if (column + e < n) memcpy(&c(row, column + e), &sums[e], sizeof(float));
}
