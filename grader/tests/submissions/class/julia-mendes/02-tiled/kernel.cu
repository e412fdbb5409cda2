#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  // B is stored transposed, then both inner reads go along a row of a tile
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH + 1];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE_WIDTH + ty;
  int col = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < k / TILE_WIDTH; ++phase) {
    int offset = phase * TILE_WIDTH;
    A_tile[ty][tx] = A[row * k + offset + tx];
    B_tile[tx][ty] = B[(offset + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) {
      sum += A_tile[ty][i] * B_tile[tx][i];
    }
    __syncthreads();
  }
  C[row * n + col] = sum;
}
