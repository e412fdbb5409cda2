// Loops made of labels and goto.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x, p = 0, i;
  float sum = 0;
next:
  if (p >= k) goto done;
  a[y][x] = 0;
  b[y][x] = 0;
  if (row < m && p + x < k) a[y][x] = A[row * k + p + x];
  if (p + y < k && col < n) b[y][x] = B[(p + y) * n + col];
  __syncthreads();
  i = 0;
again:
  sum += a[y][i] * b[i][x];
  if (++i < 16) goto again;
  __syncthreads();
  p += 16;
  goto next;
done:
  if (row >= m || col >= n) return;
  C[row * n + col] = sum;
}
