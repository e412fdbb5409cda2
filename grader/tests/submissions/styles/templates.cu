// A class template for the tile and a function template for the product.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

template <class T, int ROWS, int COLUMNS>
class Tile {
 public:
  __device__ T& operator()(int row, int column) { return values_[row * COLUMNS + column]; }
  __device__ void fill(const T* from, int row, int column, int rows, int columns) {
    const int r = row + threadIdx.y, c = column + threadIdx.x;
    (*this)(threadIdx.y, threadIdx.x) = r < rows && c < columns ? from[r * columns + c] : T{};
  }

 private:
  T values_[ROWS * COLUMNS];
};

template <int SIDE, class T>
__device__ T multiply(const T* A, const T* B, int m, int n, int k) {
  __shared__ Tile<T, SIDE, SIDE> a, b;
  T sum{};
  for (int i = 0; i < k; i += SIDE) {
    a.fill(A, blockIdx.y * SIDE, i, m, k);
    b.fill(B, i, blockIdx.x * SIDE, k, n);
    __syncthreads();
    for (int j = 0; j < SIDE; ++j) sum += a(threadIdx.y, j) * b(j, threadIdx.x);
    __syncthreads();
  }
  return sum;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const float sum = multiply<16>(A, B, m, n, k);
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < m && column < n) C[row * n + column] = sum;
}
