// As the textbook has it: two square tiles, a phase loads one element of each.
#include "launch_shape.cuh"
#define TILE_WIDTH 16
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < k / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = A[Row * k + ph * TILE_WIDTH + tx];
    Nds[ty][tx] = B[(ph * TILE_WIDTH + ty) * n + Col];
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) {
      Pvalue += Mds[ty][i] * Nds[i][tx];
    }
    __syncthreads();
  }
  C[Row * n + Col] = Pvalue;
}
