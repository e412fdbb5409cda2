// The textbook's tiles with bounds.
// Fits: any size.
#include "launch_shape.cuh"
#define TILE_WIDTH 16
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x; int by = blockIdx.y;
  int tx = threadIdx.x; int ty = threadIdx.y;
  int Row = by * blockDim.y + ty;
  int Col = bx * blockDim.x + tx;
  float Pvalue = 0;
  for (int t = 0; t < (k - 1) / TILE_WIDTH + 1; ++t) {
    if (Row < m && t * TILE_WIDTH + tx < k) ds_A[ty][tx] = A[Row * k + t * TILE_WIDTH + tx];
    else ds_A[ty][tx] = 0.0;
    if (t * TILE_WIDTH + ty < k && Col < n) ds_B[ty][tx] = B[(t * TILE_WIDTH + ty) * n + Col];
    else ds_B[ty][tx] = 0.0;
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) Pvalue += ds_A[ty][i] * ds_B[i][tx];
    __syncthreads();
  }
  if (Row < m && Col < n) C[Row * n + Col] = Pvalue;
}
