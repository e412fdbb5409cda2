#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

__device__ __noinline__ float dot(const volatile float* row, const volatile float* column) {
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += row[i] * column[16 * i];
  return sum;
}

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float A_tile[16][16];
  __shared__ float B_tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int phase = 0; phase < k / 16; ++phase) {
    A_tile[ty][tx] = A[row * k + phase * 16 + tx];
    B_tile[ty][tx] = B[(phase * 16 + ty) * n + column];
    __syncthreads();
    float last = 0;
    for (int again = 0; again < 8; ++again) last = dot(A_tile[ty], &B_tile[0][tx]);
    sum += last;
    __syncthreads();
  }
  C[row * n + column] = sum;
}
