// Objects with virtual functions, made on the device and called through their base.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

struct Matrix {
  int rows, columns;
  __device__ Matrix(int rows, int columns) : rows(rows), columns(columns) {}
  __device__ virtual float at(int row, int column) const = 0;
};
struct Plain : Matrix {
  const float* values;
  __device__ Plain(const float* values, int rows, int columns) : Matrix(rows, columns), values(values) {}
  __device__ float at(int row, int column) const override { return values[row * columns + column]; }
};
struct Transposed : Matrix {
  const Matrix& other;
  __device__ explicit Transposed(const Matrix& other) : Matrix(other.columns, other.rows), other(other) {}
  __device__ float at(int row, int column) const override { return other.at(column, row); }
};

__device__ __noinline__ float dot(const Matrix& rows_a, int row, const Matrix& rows_b, int column) {
  float sum = 0.0f;
  for (int i = 0; i < rows_a.columns; ++i) sum += rows_a.at(row, i) * rows_b.at(column, i);
  return sum;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  const Plain a(A, m, k), b(B, k, n);
  C[row * n + column] = dot(a, row, Transposed(b), column);
}
