// Written for any launch: each thread goes over C in strides of the grid.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 4, 64, 16)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  for (long long at = blockIdx.y * blockDim.y + threadIdx.y; at < m; at += (long long)gridDim.y * blockDim.y)
    for (long long to = blockIdx.x * blockDim.x + threadIdx.x; to < n; to += (long long)gridDim.x * blockDim.x) {
      const float* __restrict__ row = A + at * k;
      const float* __restrict__ column = B + to;
      const float* const end = row + k;
      float sum = 0;
      while (row != end) {
        sum += *row++ * *column;
        column += n;
      }
      C[at * n + to] = sum;
    }
}
