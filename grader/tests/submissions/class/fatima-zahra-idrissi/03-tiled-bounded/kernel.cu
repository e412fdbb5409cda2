#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
// A block has a thread for each element of its tile of C.
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n,
                                                int k) {
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0.0f;
  // how many phases: round up
  int phases = ceil(k / (float)TILE_WIDTH);

  for (int phase = 0; phase < phases; phase++) {
    int column_a = phase * TILE_WIDTH + tx;
    int row_b = phase * TILE_WIDTH + ty;
    A_tile[ty][tx] = 0;
    B_tile[ty][tx] = 0;
    if (row < m && column_a < k) {
      A_tile[ty][tx] = A[row * k + column_a];
    }
    if (row_b < k && column < n) {
      B_tile[ty][tx] = B[row_b * n + column];
    }
    __syncthreads();

    for (int position = 0; position < TILE_WIDTH; position++) {
      sum = sum + A_tile[ty][position] * B_tile[position][tx];
    }
    __syncthreads();
  }
  if (row < m) {
    if (column < n) {
      C[row * n + column] = sum;
    }
  }
}
