// As the textbook has it: one element a thread, everything below the guard.
#include "launch_shape.cuh"
#define WIDTH 16
LAUNCH_SHAPE(WIDTH, WIDTH, WIDTH, WIDTH)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  int Row = blockIdx.y * WIDTH + threadIdx.y;
  int Col = blockIdx.x * WIDTH + threadIdx.x;
  if (Row < m && Col < n) {
    float Cvalue = 0;
    for (int p = 0; p < k; p++) {
      Cvalue += A[Row * k + p] * B[p * n + Col];
    }
    C[Row * n + Col] = Cvalue;
  }
}
