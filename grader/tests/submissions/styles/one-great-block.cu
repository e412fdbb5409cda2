// A block of 1,024 threads for 32×32 elements; whoever is outside has left before the last loop.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(1024, 1, 32, 32)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[32][33], b[32][33];
  const unsigned x = threadIdx.x & 31, y = threadIdx.x >> 5;
  const unsigned row = blockIdx.y * 32u + y, column = blockIdx.x * 32u + x, M = m, N = n, K = k;
  float sum = 0;
  for (unsigned phase = (K + 31) / 32; phase-- > 0;) {  // from the last to the first
    const unsigned from = 32 * phase;
    a[y][x] = row < M && from + x < K ? A[row * K + from + x] : 0.0f;
    b[x][y] = column < N && from + y < K ? B[(from + y) * N + column] : 0.0f;
    __syncthreads();
    for (unsigned i = 0; i < 32; ++i) sum = __fmaf_rn(a[y][i], b[x][i], sum);
    __syncthreads();
  }
  if (row >= M) return;
  if (column >= N) return;
  C[row * N + column] = sum;
}
