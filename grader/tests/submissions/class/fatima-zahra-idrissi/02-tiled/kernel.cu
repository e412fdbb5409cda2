#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
// A block has a thread for each element of its tile of C.
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  // the tiles that all threads share
  __shared__ float tile_a[TILE_WIDTH][TILE_WIDTH];
  __shared__ float tile_b[TILE_WIDTH][TILE_WIDTH];

  // which row and column am I
  int my_row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  int my_column = blockIdx.x * TILE_WIDTH + threadIdx.x;

  float result = 0.0;
  for (int phase = 0; phase < k / TILE_WIDTH; phase++) {
    tile_a[threadIdx.y][threadIdx.x] = A[my_row * k + phase * TILE_WIDTH + threadIdx.x]
    tile_b[threadIdx.y][threadIdx.x] = B[(phase * TILE_WIDTH + threadIdx.y) * n + my_column];
    // wait for the others
    _syncthreads();

    for (int position = 0; position < TILE_WIDTH; position++) {
      result = result + tile_a[threadIdx.y][position] * tile_b[position][threadIdx.x];
    }
    _syncthreads();
  }
  C[my_row * n + my_column] = result;
}
