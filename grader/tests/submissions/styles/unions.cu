// One shared union of tiles, of a flat array and of bits; the inner loop goes backwards.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
union Tiles {
  struct {
    float a[16][16];
    float b[16][16];
  } in;
  float flat[512];
  unsigned bits[512];
};
extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ Tiles t;
  unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (unsigned p = 0; p < (unsigned)k; p += 16) {
    t.flat[y * 16 + x] = (row < m && p + x < k) ? A[row * k + p + x] : 0.f;
    t.bits[256 + y * 16 + x] = (p + y < k && col < n) ? __float_as_uint(B[(p + y) * n + col]) : 0u;
    __syncthreads();
    for (int i = 15; i >= 0; --i) sum += t.in.a[y][i] * t.in.b[i][x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
