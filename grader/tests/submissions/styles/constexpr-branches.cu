// One template for inside and rim, told apart by if constexpr; the sum unrolled by an index sequence.
// Fits: any size.
#include <cuda/std/utility>
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

template <bool GUARDED>
__device__ float at(const float* matrix, int row, int column, int rows, int columns) {
  if constexpr (GUARDED) {
    return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
  } else {
    return matrix[row * columns + column];
  }
}

template <int... I>
__device__ float dot(const float (&a)[T][T], const float (&b)[T][T], int y, int x, cuda::std::integer_sequence<int, I...>) {
  return ((a[y][I] * b[I][x]) + ...);
}

template <bool GUARDED>
__device__ void product(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[y][x] = at<GUARDED>(A, row, first + x, m, k);
    b[y][x] = at<GUARDED>(B, first + y, column, k, n);
    __syncthreads();
    sum += dot(a, b, y, x, cuda::std::make_integer_sequence<int, T>());
    __syncthreads();
  }
  if (!GUARDED || (row < m && column < n)) C[row * n + column] = sum;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const bool inside = (blockIdx.y + 1) * T <= m && (blockIdx.x + 1) * T <= n && k % T == 0;
  if (inside)
    product<false>(A, B, C, m, n, k);
  else
    product<true>(A, B, C, m, n, k);
}
