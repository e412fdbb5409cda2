#include "launch_shape.cuh"

// 2x2 outputs per thread
#define TS 32
LAUNCH_SHAPE(TS / 2, TS / 2, TS, TS)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ta[TS][TS + 1];
  __shared__ float tb[TS][TS + 1];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned x0 = blockIdx.x * TS, y0 = blockIdx.y * TS;

  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (unsigned p = 0; p < k; p += TS) {
    for (unsigned y = ty; y < TS; y += TS / 2)
      for (unsigned x = tx; x < TS; x += TS / 2) {
        ta[y][x] = y0 + y < m && p + x < k ? A[(y0 + y) * k + p + x] : 0;
        tb[y][x] = p + y < k && x0 + x < n ? B[(p + y) * n + x0 + x] : 0;
      }
    __syncthreads();
    for (unsigned i = 0; i < TS; i++) {
      float a0 = ta[ty][i], a1 = ta[ty + TS / 2][i];
      float b0 = tb[i][tx], b1 = tb[i][tx + TS / 2];
      s00 += a0 * b0;
      s01 += a0 * b1;
      s10 += a1 * b0;
      s11 += a1 * b1;
    }
    __syncthreads();
  }
  unsigned y = y0 + ty, x = x0 + tx, y2 = y + TS / 2, x2 = x + TS / 2;
  if (y < m && x < n) C[y * n + x] = s00;
  if (y < m && x2 < n) C[y * n + x2] = s01;
  if (y2 < m && x < n) C[y2 * n + x] = s10;
  if (y2 < m && x2 < n) C[y2 * n + x2] = s11;
}
