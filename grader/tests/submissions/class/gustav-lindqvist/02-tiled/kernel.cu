#include "launch_shape.cuh"

#define TS 16
LAUNCH_SHAPE(TS, TS, TS, TS)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ta[TS][TS];
  __shared__ float tb[TS][TS];
  unsigned x = blockIdx.x * TS + threadIdx.x;
  unsigned y = blockIdx.y * TS + threadIdx.y;

  float sum = 0;
  for (unsigned p = 0; p < k; p += TS) {
    ta[threadIdx.y][threadIdx.x] = A[y * k + p + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = B[(p + threadIdx.y) * n + x];
    __syncthreads();  // tiles are full now, gives the right result on my laptop
    for (unsigned i = 0; i < TS; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
  }
  C[y * n + x] = sum;
}
