// A struct with rows, columns and an operator.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 8, 16, 8)

struct View {
  const float* data;
  int rows, columns;
  __device__ __forceinline__ bool holds(int r, int c) const { return r < rows && c < columns; }
  __device__ __forceinline__ float operator()(int r, int c) const { return data[r * columns + c]; }
};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const View a{A, m, k}, b{B, k, n}, c{C, m, n};
  const int2 at = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
  if (!c.holds(at.y, at.x)) return;
  float sum = 0.0f;
  for (int i = 0; i < a.columns; ++i) sum += a(at.y, i) * b(i, at.x);
  C[at.y * n + at.x] = sum;
}
