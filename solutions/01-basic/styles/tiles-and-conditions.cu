// Tiles in shared memory already; an if and an else for each load.
#include "launch_shape.cuh"
LAUNCH_SHAPE(8, 8, 8, 8)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tile_of_a[8][8];
  __shared__ float tile_of_b[8][8];
  const int u = threadIdx.y, v = threadIdx.x;
  const int i = blockIdx.y * 8 + u, j = blockIdx.x * 8 + v;
  float value = 0.0f;
  int phases = (k + 7) / 8;
  for (int ph = 0; ph < phases; ++ph) {
    int l = ph * 8 + v, o = ph * 8 + u;
    if (i < m && l < k)
      tile_of_a[u][v] = A[i * k + l];
    else
      tile_of_a[u][v] = 0;
    if (o < k && j < n)
      tile_of_b[u][v] = B[o * n + j];
    else
      tile_of_b[u][v] = 0;
    __syncthreads();
    for (int s = 0; s < 8; ++s) value += tile_of_a[u][s] * tile_of_b[s][v];
    __syncthreads();
  }
  if (i < m && j < n) C[i * n + j] = value;
}
