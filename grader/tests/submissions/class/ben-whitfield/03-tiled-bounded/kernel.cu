#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n,
                                                int k) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

  int tx = threadIdx.x; int ty = threadIdx.y;
  int Row = blockIdx.y * TILE_WIDTH + ty;
  int Col = blockIdx.x * TILE_WIDTH + tx;

  float Pvalue = 0;
  int phases = (k - 1) / TILE_WIDTH + 1;
  for (int ph = 0; ph < phases; ++ph) {
    int a_col = ph * TILE_WIDTH + tx;
    int b_row = ph * TILE_WIDTH + ty;

    if (Row < m && a_col < k) {
      Mds[ty][tx] = A[Row * k + a_col];
    } else {
      Mds[ty][tx] = 0.0f;
    }
    if (b_row < k && Col < n) {
      Nds[ty][tx] = B[b_row * n + Col];
    } else {
      Nds[ty][tx] = 0.0f;
    }
    __syncthreads();

    for (int i = 0; i < TILE_WIDTH; ++i) {
      Pvalue += Mds[ty][i] * Nds[i][tx];
    }
    __syncthreads();
  }

  if (Row < m && Col < n) {
    C[Row * n + Col] = Pvalue;
  }
}
