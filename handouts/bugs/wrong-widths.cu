// Wrong, for the handout of lab 02: a dimension, a barrier, and an argument.
#define TILE 16

__global__ void multiply(const float* M, const float* N, float* P, int width) {
  __shared__ float tile_m[TILE * TILE];
  __shared__ float tile_n[TILE][TILE];
  tile_m[threadIdx.y][threadIdx.x] = M[threadIdx.y * width + threadIdx.x];
  tile_n[threadIdx.y][threadIdx.x] = N[threadIdx.y * width + threadIdx.x];
  __syncthread();
  // ... phases, as in the text ...
}

void product(const float* M, const float* N, float* P, int width) {
  dim3 block(TILE, TILE), grid(width / TILE, width / TILE);
  multiply<<<grid, block>>>(M, N, P, TILE);
}
