// Tiles of 32 in shared memory already, whose rows are padded; phases are counted.
#include "launch_shape.cuh"
#define TILE 32
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float left[TILE][TILE + 1];
  __shared__ float right[TILE][TILE + 1];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float result = 0.0f;
  for (int phase = 0; phase * TILE < k; phase++) {
    int begin = phase * TILE;
    left[y][x] = (row < m && begin + x < k) ? A[row * k + begin + x] : 0.f;
    right[y][x] = (column < n && begin + y < k) ? B[(begin + y) * n + column] : 0.f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; ++j) result += left[y][j] * right[j][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = result;
}
