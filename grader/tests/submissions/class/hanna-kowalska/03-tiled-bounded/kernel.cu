#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n,
                                                int k) {
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE_WIDTH + ty;
  int col = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0.0f;
  int phases = k / TILE_WIDTH;  // same as last week
  for (int phase = 0; phase < phases; phase++) {
    int a_col = phase * TILE_WIDTH + tx;
    int b_row = phase * TILE_WIDTH + ty;
    A_tile[ty][tx] = (row < m && a_col < k) ? A[row * k + a_col] : 0.0f;
    B_tile[ty][tx] = (b_row < k && col < n) ? B[b_row * n + col] : 0.0f;
    __syncthreads();

    for (int i = 0; i < TILE_WIDTH; i++) {
      sum += A_tile[ty][i] * B_tile[i][tx];
    }
    __syncthreads();
  }

  if (row < m && col < n) {
    C[row * n + col] = sum;
  }
}
