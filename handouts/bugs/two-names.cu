// Wrong, for the handout of lab 02: four names that are not what they should be.
#define TILE 16

__global__ void multiply(const float* M, const float* N, float* P, int Width) {
  __shared__ float tile_M[TILE][TILE];
  __shared__ float tile_n[TILE][TILE];
  float sum = 0;
  for (int p = 0; p < n / TILE; ++p) {
    int next = ph * TILE;
    tile_M[threadIdx.y][threadIdx.x] = M[next];  // which element it is does not matter here
    tile_N[threadIdx.y][threadIdx.x] = N[next];
    __synchthreads();
    // ... multiply, wait again ...
  }
  P[0] = sum;
}
