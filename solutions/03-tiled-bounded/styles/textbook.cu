// As the textbook has it: each load and the store has an if, and zeros are stored in the else.
#include "launch_shape.cuh"
#define TILE_WIDTH 16
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
  int tx = threadIdx.x, ty = threadIdx.y;
  int Row = blockIdx.y * TILE_WIDTH + ty;
  int Col = blockIdx.x * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int p = 0; p < (k - 1) / TILE_WIDTH + 1; ++p) {
    if (Row < m && p * TILE_WIDTH + tx < k) {
      ds_A[ty][tx] = A[Row * k + p * TILE_WIDTH + tx];
    } else {
      ds_A[ty][tx] = 0.0;
    }
    if (p * TILE_WIDTH + ty < k && Col < n) {
      ds_B[ty][tx] = B[(p * TILE_WIDTH + ty) * n + Col];
    } else {
      ds_B[ty][tx] = 0.0;
    }
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) {
      Pvalue += ds_A[ty][i] * ds_B[i][tx];
    }
    __syncthreads();
  }
  if (Row < m && Col < n) C[Row * n + Col] = Pvalue;
}
