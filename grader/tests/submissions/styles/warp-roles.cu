// Two warps load, six multiply; they meet at named barriers, each with a buffer of its own.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int W = 32, H = 6, D = 8, LOADERS = 2;
LAUNCH_SHAPE(W, H + LOADERS, W, H)

__device__ void meet(int barrier) { asm volatile("bar.sync %0, 256;" ::"r"(barrier) : "memory"); }
__device__ void announce(int barrier) { asm volatile("bar.arrive %0, 256;" ::"r"(barrier) : "memory"); }

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[2][H][D], b[2][D][W];
  const int lane = threadIdx.x, first_row = blockIdx.y * H, column = blockIdx.x * W + lane;
  const int phases = (k + D - 1) / D;
  if (threadIdx.y >= H) {
    const int helper = (threadIdx.y - H) * W + lane;
    for (int phase = 0; phase < phases; ++phase) {
      const int buffer = phase % 2;
      if (phase >= 2) meet(3 + buffer);
      for (int i = helper; i < H * D; i += LOADERS * W) {
        const int row = first_row + i / D, depth = phase * D + i % D;
        a[buffer][i / D][i % D] = row < m && depth < k ? A[row * k + depth] : 0.0f;
      }
      for (int i = helper; i < D * W; i += LOADERS * W) {
        const int depth = phase * D + i / W, at = blockIdx.x * W + i % W;
        b[buffer][i / W][i % W] = depth < k && at < n ? B[depth * n + at] : 0.0f;
      }
      __threadfence_block();
      announce(1 + buffer);
    }
    return;
  }
  const int row = first_row + threadIdx.y;
  float sum = 0.0f;
  for (int phase = 0; phase < phases; ++phase) {
    const int buffer = phase % 2;
    meet(1 + buffer);
    for (int i = 0; i < D; ++i) sum += a[buffer][threadIdx.y][i] * b[buffer][i][lane];
    if (phase + 2 < phases) announce(3 + buffer);
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
