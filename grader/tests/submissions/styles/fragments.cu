// Small vectors with operators: outer products of fragments of a row and of a column.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16, R = 2;
LAUNCH_SHAPE(T, T, T* R, T* R)

template <int N>
struct Vector {
  float e[N];
  __device__ float& operator[](int i) { return e[i]; }
  __device__ const float& operator[](int i) const { return e[i]; }
  __device__ Vector& operator+=(const Vector& other) {
    for (int i = 0; i < N; ++i) e[i] += other[i];
    return *this;
  }
  friend __device__ Vector operator*(float factor, Vector vector) {
    for (int i = 0; i < N; ++i) vector[i] *= factor;
    return vector;
  }
};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ Vector<R> a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = (blockIdx.y * T + y) * R, column = (blockIdx.x * T + x) * R;
  Vector<R> sum[R] = {};
  for (int first = 0; first < k; first += T) {
    for (int r = 0; r < R; ++r) {
      a[y][x][r] = row + r < m && first + x < k ? A[(row + r) * k + first + x] : 0.0f;
      b[y][x][r] = first + y < k && column + r < n ? B[(first + y) * n + column + r] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < T; ++i)
      for (int r = 0; r < R; ++r) sum[r] += a[y][i][r] * b[i][x];
    __syncthreads();
  }
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < R; ++c)
      if (row + r < m && column + c < n) C[(row + r) * n + column + c] = sum[r][c];
}
