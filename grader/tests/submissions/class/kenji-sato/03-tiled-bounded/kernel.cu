#include "launch_shape.cuh"

// A whole strip of A and of B at once, so that there are fewer phases and fewer barriers
constexpr int T = 32;
constexpr int STRIP = 256;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float sA[T][STRIP];
  __shared__ float sB[STRIP][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty;
  int col = blockIdx.x * T + tx;

  float sum = 0.0f;
  for (int start = 0; start < k; start += STRIP) {
    for (int i = 0; i < STRIP; i += T) {
      sA[ty][i + tx] = row < m && start + i + tx < k ? A[row * k + start + i + tx] : 0.0f;
      sB[i + ty][tx] = start + i + ty < k && col < n ? B[(start + i + ty) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < STRIP; i++) sum += sA[ty][i] * sB[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
