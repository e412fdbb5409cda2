// Each warp has a tile of its own and waits for nobody else.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int WARPS = 4, T = 32;
LAUNCH_SHAPE(T, WARPS, T, WARPS)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float lines[WARPS][T];
  float* const line = lines[threadIdx.y];
  const int lane = threadIdx.x, row = blockIdx.y * WARPS + threadIdx.y, column = blockIdx.x * T + lane;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    line[lane] = row < m && first + lane < k ? A[row * k + first + lane] : 0.0f;
    __syncwarp();
    if (column < n)
      for (int i = 0; i < T && first + i < k; ++i) sum += line[i] * B[(first + i) * n + column];
    __syncwarp();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
