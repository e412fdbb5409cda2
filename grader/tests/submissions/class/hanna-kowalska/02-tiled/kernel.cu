#define TILE_WIDTH 16

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE_WIDTH + ty;
  int col = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < k / TILE_WIDTH; phase++) {
    A_tile[ty][tx] = A[row * k + phase * TILE_WIDTH + tx];
    B_tile[ty][tx] = B[(phase * TILE_WIDTH + ty) * n + col];
    __syncthreads();

    for (int i = 0; i < TILE_WIDTH; i++) {
      sum += A_tile[ty][i] * B_tile[i][tx];
    }
    __syncthreads();
  }
  C[row * n + col] = sum;
}
