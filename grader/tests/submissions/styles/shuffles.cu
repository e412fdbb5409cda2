// A warp shares its row of A by shuffles instead of shared memory.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int lane = threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + lane;
  if (row >= m) return;  // the whole warp
  float sum = 0.0f;
  for (int first = 0; first < k; first += 32) {
    const float mine = first + lane < k ? A[row * k + first + lane] : 0.0f;
    const int end = min(32, k - first);
    for (int i = 0; i < end; ++i) {
      const float a = __shfl_sync(0xffffffffu, mine, i);
      if (column < n) sum += a * B[(first + i) * n + column];
    }
  }
  if (column < n) C[row * n + column] = sum;
}
