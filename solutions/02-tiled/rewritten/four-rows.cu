// A copy of the style of this name: other names and types, loads held first, loops of a fixed number written out.
#include "launch_shape.cuh"
#define WIDTH 32
#define STEP 8
LAUNCH_SHAPE(WIDTH, STEP, WIDTH, WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float mine[WIDTH][WIDTH];
  __shared__ float theirs[WIDTH][WIDTH];
  unsigned u = threadIdx.x;
  unsigned v = threadIdx.y;
  unsigned x0 = blockIdx.x * WIDTH;
  unsigned y0 = blockIdx.y * WIDTH;
  float r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  int at = 0;
  while (at < k) {
    for (unsigned q = v; q < WIDTH; q = q + STEP) {
      float p = B[(at + q) * n + (x0 + u)];
      float o = A[(y0 + q) * k + (at + u)];
      theirs[q][u] = p;
      mine[q][u] = o;
    }
    __syncthreads();
    for (int d = 0; d < WIDTH; d++) {
      float other = theirs[d][u];
      r0 = r0 + other * mine[v][d];
      r1 = r1 + other * mine[v + STEP][d];
      r2 = r2 + other * mine[v + 2 * STEP][d];
      r3 = r3 + other * mine[v + 3 * STEP][d];
    }
    __syncthreads();
    at += WIDTH;
  }
  C[(y0 + v) * n + x0 + u] = r0;
  C[(y0 + v + STEP) * n + x0 + u] = r1;
  C[(y0 + v + 2 * STEP) * n + x0 + u] = r2;
  C[(y0 + v + 3 * STEP) * n + x0 + u] = r3;
}
