#include "launch_shape.cuh"

constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float sA[T][T];
  __shared__ float sB[T][T];
  int row = blockIdx.y * T + threadIdx.y;
  int col = blockIdx.x * T + threadIdx.x;

  float sum = 0.0f;
  int start = 0;
  while (start < k) {
    sA[threadIdx.y][threadIdx.x] = A[row * k + start + threadIdx.x];
    sB[threadIdx.y][threadIdx.x] = B[(start + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < T; i++) {
      sum += sA[threadIdx.y][i] * sB[i][threadIdx.x];
    }
    __syncthreads();
    start + T;
  }
  C[row * n + col] = sum;
}
