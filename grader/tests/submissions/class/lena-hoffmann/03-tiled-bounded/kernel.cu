#include "launch_shape.cuh"

// bigger tiles -> fewer loads. 64 x 32 outputs.
constexpr int TX = 64;
constexpr int TY = 32;
LAUNCH_SHAPE(TX, TY, TX, TY)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[TY][TY];
  __shared__ float b[TY][TX];
  const int x = threadIdx.x, y = threadIdx.y;
  const int r = TY * blockIdx.y + y;
  const int c = TX * blockIdx.x + x;

  float sum = 0.0f;
  for (int t = 0; t < k; t += TY) {
    if (x < TY) a[y][x] = r < m && t + x < k ? A[r * k + t + x] : 0.0f;
    b[y][x] = t + y < k && c < n ? B[(t + y) * n + c] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TY; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (r < m && c < n) C[r * n + c] = sum;
}
