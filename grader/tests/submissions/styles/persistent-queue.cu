// A single block that stays: its warps fetch the next piece of C from a counter until none is left.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 1 << 14, 1 << 14)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ unsigned next;
  if (threadIdx.x == 0 && threadIdx.y == 0) next = 0;
  __syncthreads();
  const unsigned across = (n + 31) / 32, pieces = across * m;
  for (;;) {
    unsigned piece = 0;
    if (threadIdx.x == 0) piece = atomicAdd(&next, 1u);
    piece = __shfl_sync(~0u, piece, 0);
    if (piece >= pieces) break;
    const int row = piece / across, column = piece % across * 32 + threadIdx.x;
    if (column >= n) continue;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
  }
}
