// Everything is a macro.
// Fits: any size.
#include "launch_shape.cuh"
#define BS 16
#define IDX(r, c, w) ((r) * (w) + (c))
#define FOR(i, end) for (int i = 0; i < (end); ++i)
#define ROW (blockIdx.y * BS + threadIdx.y)
#define COL (blockIdx.x * BS + threadIdx.x)
LAUNCH_SHAPE(BS, BS, BS, BS)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  if (ROW < m && COL < n) {
    float sum = 0.0f;
    FOR(i, k) sum += A[IDX(ROW, i, k)] * B[IDX(i, COL, n)];
    C[IDX(ROW, COL, n)] = sum;
  }
}
