// Lanes vote on who has work; the lowest of those that are left loads A and hands it round.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 2, 32, 2)

extern "C" __global__ void KERNEL(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                  int m, int n, int k) {
  const int lane = threadIdx.x, row = blockIdx.y * 2 + threadIdx.y, column = blockIdx.x * 32 + lane;
  const unsigned working = __ballot_sync(~0u, row < m && column < n);
  if (!(working >> lane & 1)) return;
  const int leader = __ffs(working) - 1;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    float a = 0.0f;
    if (lane == leader) a = __ldcg(A + row * k + i);
    a = __shfl_sync(working, a, leader);
    sum = __fadd_rn(sum, __fmul_rn(a, __ldcs(B + i * n + column)));
  }
  if (__all_sync(working, sum == sum)) __stcs(C + row * n + column, sum);
}
