// A copy of the style of this name: walking pointers, `while` and `do` for `for`, one condition a line.
#include "launch_shape.cuh"
#define N_THREADS 16
LAUNCH_SHAPE(N_THREADS, N_THREADS, N_THREADS, N_THREADS)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tileB[N_THREADS][N_THREADS];
  __shared__ float tileA[N_THREADS][N_THREADS];
  int col = threadIdx.x + N_THREADS * blockIdx.x;
  int row = threadIdx.y + N_THREADS * blockIdx.y;
  bool colOk = !(col >= n), rowOk = !(row >= m);
  float value = 0.f;
  const float* a = A + row * k + threadIdx.x;
  const float* b = B + threadIdx.y * n + col;
  int left = k;
  while (left > 0) {
    int now = left;
    if (now > N_THREADS) now = N_THREADS;
    if (colOk) {
      if (threadIdx.y < now) tileB[threadIdx.y][threadIdx.x] = *b;
    }
    if (rowOk) {
      if (threadIdx.x < now) tileA[threadIdx.y][threadIdx.x] = *a;
    }
    a += N_THREADS;
    b += N_THREADS * n;
    left -= N_THREADS;
    __syncthreads();
    if (colOk && rowOk) {
      int i = 0;
      do {
        value += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
        i++;
      } while (i < now);
    }
    __syncthreads();
  }
  if (!colOk || !rowOk) return;
  C[row * n + col] = value;
}
