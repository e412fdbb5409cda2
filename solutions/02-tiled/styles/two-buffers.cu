// The next tiles are loaded while these are multiplied: two of each, one barrier a phase.
#include "launch_shape.cuh"

constexpr int SIZE = 16;
LAUNCH_SHAPE(SIZE, SIZE, SIZE, SIZE)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float left[2][SIZE][SIZE], right[2][SIZE][SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * SIZE + ty, column = blockIdx.x * SIZE + tx;
  left[0][ty][tx] = A[row * k + tx];
  right[0][ty][tx] = B[ty * n + column];
  float sum = 0.0f;
  for (int phase = 1; phase <= k / SIZE; ++phase) {
    const int now = (phase - 1) % 2, next = phase % 2;
    __syncthreads();
    if (phase < k / SIZE) {
      left[next][ty][tx] = A[row * k + phase * SIZE + tx];
      right[next][ty][tx] = B[(phase * SIZE + ty) * n + column];
    }
    for (int d = 0; d < SIZE; ++d) sum += left[now][ty][d] * right[now][d][tx];
  }
  C[row * n + column] = sum;
}
