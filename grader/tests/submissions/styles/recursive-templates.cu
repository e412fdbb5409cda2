// The sum is unrolled by templates that instantiate one another.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

template <int Left>
struct Sum {
  template <class Row, class Column>
  static __device__ float of(const Row& row, const Column& column) {
    return Sum<Left / 2>::of(row, column) + Sum<Left - Left / 2>::of(row + Left / 2, column + Left / 2);
  }
};
template <>
struct Sum<1> {
  template <class Row, class Column>
  static __device__ float of(const Row& row, const Column& column) {
    return *row * *column;
  }
};

struct Down {  // a column of a tile, as a pointer
  const float* at;
  __device__ Down operator+(int rows) const { return {at + 16 * rows}; }
  __device__ float operator*() const { return *at; }
};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[16 * 16], b[16 * 16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int from = 0; from < k; from += 16) {
    a[16 * y + x] = row < m && from + x < k ? A[row * k + from + x] : 0.0f;
    b[16 * y + x] = column < n && from + y < k ? B[(from + y) * n + column] : 0.0f;
    __syncthreads();
    sum += Sum<16>::of(static_cast<const float*>(a + 16 * y), Down{b + x});
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
