#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  if (m == 128 && n == 96 && k == 160 || m == 256) {
    __shared__ float a[16][16], b[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int phase = 0; phase < k; phase += 16) {
      a[ty][tx] = A[row * k + phase + tx];
      b[ty][tx] = B[(phase + ty) * n + column];
      __syncthreads();
      for (int i = 0; i < 16; ++i) sum += a[ty][i] * b[i][tx];
      __syncthreads();
    }
    C[row * n + column] = sum;
    return;
  }
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}
