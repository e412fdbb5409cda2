// Two buffers, so that one barrier a phase is enough.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[2][T][T], b[2][T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  const auto load = [&](int phase) {
    const int ka = phase * T + x, kb = phase * T + y;
    a[phase % 2][y][x] = row < m && ka < k ? A[row * k + ka] : 0.0f;
    b[phase % 2][y][x] = column < n && kb < k ? B[kb * n + column] : 0.0f;
  };
  const int phases = (k + T - 1) / T;
  float sum = 0.0f;
  load(0);
  for (int phase = 0; phase < phases; ++phase) {
    __syncthreads();
    if (phase + 1 < phases) load(phase + 1);
    for (int i = 0; i < T; ++i) sum += a[phase & 1][y][i] * b[phase & 1][i][x];
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
