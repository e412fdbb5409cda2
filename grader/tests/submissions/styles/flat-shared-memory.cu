// One flat shared array for both tiles, indexed by hand.
// Fits: any size.
#include "launch_shape.cuh"
enum { T = 8, TILE = T * T };
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tiles[2 * TILE];
  float* const a = tiles;
  float* const b = tiles + TILE;
  const int me = threadIdx.y * T + threadIdx.x;
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[me] = b[me] = 0.0f;
    if (row < m && first + int(threadIdx.x) < k) a[me] = A[row * k + first + threadIdx.x];
    if (column < n && first + int(threadIdx.y) < k) b[me] = B[(first + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[threadIdx.y * T + i] * b[i * T + threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
