// Three buffers in turns, filled by copies of the primitives' interface that are awaited one by one.
// Fits: any size.
#include <cuda_pipeline.h>
#include "launch_shape.cuh"
constexpr int T = 16, STAGES = 3;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[STAGES][T][T + 1], b[STAGES][T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  const int phases = (k + T - 1) / T;
  const auto fetch = [&](int phase) {
    if (phase < phases) {
      const int i = phase * T + x, j = phase * T + y, stage = phase % STAGES;
      const bool has_a = row < m && i < k, has_b = j < k && column < n;
      __pipeline_memcpy_async(&a[stage][y][x], has_a ? A + row * k + i : A, 4, has_a ? 0 : 4);
      __pipeline_memcpy_async(&b[stage][y][x], has_b ? B + j * n + column : B, 4, has_b ? 0 : 4);
    }
    __pipeline_commit();
  };
  float sum = 0.0f;
  for (int phase = 0; phase < STAGES - 1; ++phase) fetch(phase);
  for (int phase = 0; phase < phases; ++phase) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    fetch(phase + STAGES - 1);
    for (int i = 0; i < T; ++i) sum += a[phase % STAGES][y][i] * b[phase % STAGES][i][x];
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
