// Two products a turn of the loop over a tile.
#include "launch_shape.cuh"

const int N_TILE = 16;
LAUNCH_SHAPE(N_TILE, N_TILE, N_TILE, N_TILE)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float sA[N_TILE][N_TILE];
  __shared__ float sB[N_TILE][N_TILE];
  const int i = blockDim.y * blockIdx.y + threadIdx.y;
  const int j = blockDim.x * blockIdx.x + threadIdx.x;
  float acc = 0.f;
  int steps = k / N_TILE;
  for (int s = 0; s < steps; s++) {
    sA[threadIdx.y][threadIdx.x] = A[i * k + s * N_TILE + threadIdx.x];
    sB[threadIdx.y][threadIdx.x] = B[(s * N_TILE + threadIdx.y) * n + j];
    __syncthreads();
    for (int l = 0; l < N_TILE; l += 2) {
      acc += sA[threadIdx.y][l] * sB[l][threadIdx.x];
      acc += sA[threadIdx.y][l + 1] * sB[l + 1][threadIdx.x];
    }
    __syncthreads();
  }
  C[i * n + j] = acc;
}
