// Arrays and tuples of the standard library, structured bindings, a loop over a range.
// Fits: any size.
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
__device__ cuda::std::tuple<int, int> place() {
  return {int(blockIdx.y * blockDim.y + threadIdx.y), int(blockIdx.x * blockDim.x + threadIdx.x)};
}
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ cuda::std::array<cuda::std::array<float, 16>, 16> a, b;
  const auto [row, col] = place();
  const int x = threadIdx.x, y = threadIdx.y;
  auto sum = 0.f;
  for (int p = 0; p < k; p += 16) {
    a[y][x] = (row < m && p + x < k) ? A[row * k + p + x] : 0.f;
    b[y][x] = (p + y < k && col < n) ? B[(p + y) * n + col] : 0.f;
    __syncthreads();
    int i = 0;
    for (const float& v : a[y]) sum += v * b[i++][x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
