// A flat block whose places are bit fields, short indices, do and while.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(256, 1, 16, 16)
struct Where {
  unsigned x : 4, y : 4, pad : 24;
};
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[16][16], b[16][16];
  Where w;
  w.x = threadIdx.x;
  w.y = threadIdx.x >> 4;
  w.pad = 0;
  const short row = blockIdx.y * 16 + w.y, col = blockIdx.x * 16 + w.x;
  float sum = 0;
  int p = 0;
  do {
    a[w.y][w.x] = (row < m && p + (int)w.x < k) ? A[row * k + p + w.x] : 0.f;
    b[w.y][w.x] = (p + (int)w.y < k && col < n) ? B[(p + w.y) * n + col] : 0.f;
    __syncthreads();
    short i = 16;
    while (i-- > 0) sum += a[w.y][i] * b[i][w.x];
    __syncthreads();
  } while ((p += 16) < k);
  if (row < m && col < n) C[row * n + col] = sum;
}
