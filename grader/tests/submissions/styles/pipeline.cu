// Two stages of a cuda::pipeline: one pair of tiles is on its way while the other is multiplied.
// Fits: any size.
#include <cuda/pipeline>
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[2][T][T], b[2][T][T];
  auto pipe = cuda::make_pipeline();
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T + x, phases = (k + T - 1) / T;
  const auto fetch = [&](int phase) {
    pipe.producer_acquire();
    const int i = phase * T + x, j = phase * T + y;
    if (row < m && i < k)
      cuda::memcpy_async(&a[phase % 2][y][x], &A[row * k + i], sizeof(float), pipe);
    else
      a[phase % 2][y][x] = 0.0f;
    if (j < k && column < n)
      cuda::memcpy_async(&b[phase % 2][y][x], &B[j * n + column], sizeof(float), pipe);
    else
      b[phase % 2][y][x] = 0.0f;
    pipe.producer_commit();
  };
  float sum = 0.0f;
  fetch(0);
  for (int phase = 0; phase < phases; ++phase) {
    if (phase + 1 < phases) {
      fetch(phase + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[phase % 2][y][i] * b[phase % 2][i][x];
    __syncthreads();
    pipe.consumer_release();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
