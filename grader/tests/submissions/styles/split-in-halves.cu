// B as two halves and a rest, which add up to the float.
// Fits: any size.
#include <cuda_fp16.h>
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[16][16];
  __shared__ __half2 bh[16][16];
  __shared__ float bl[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int p = 0; p < k; p += 16) {
    a[y][x] = (row < m && p + x < k) ? A[row * k + p + x] : 0.f;
    float v = (p + y < k && col < n) ? B[(p + y) * n + col] : 0.f;
    __half h = __float2half_rn(v);
    float rest = v - __half2float(h);
    __half l = __float2half_rn(rest);
    bh[y][x] = __halves2half2(h, l);
    bl[y][x] = rest - __half2float(l);
    __syncthreads();
    for (int i = 0; i < 16; i++) {
      float2 f = __half22float2(bh[i][x]);
      sum += a[y][i] * (f.x + (f.y + bl[i][x]));
    }
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
