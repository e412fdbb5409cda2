#include "launch_shape.cuh"

#define TS 16
LAUNCH_SHAPE(TS, TS, TS, TS)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ta[TS][TS];
  __shared__ float tb[TS][TS];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned x = blockIdx.x * TS + tx;
  unsigned y = blockIdx.y * TS + ty;

  // so that nothing is undefined at the border
  ta[ty][tx] = 0;
  tb[ty][tx] = 0;
  __syncthreads();

  float sum = 0;
  for (unsigned p = 0; p < k; p += TS) {
    ta[ty][tx] = y < m && p + tx < k ? A[y * k + p + tx] : 0;
    tb[ty][tx] = x < n && p + ty < k ? B[(p + ty) * n + x] : 0;
    for (unsigned i = 0; i < TS; i++) sum += ta[ty][i] * tb[i][tx];
    __syncthreads();
  }
  if (x < n && y < m) C[y * n + x] = sum;
}
