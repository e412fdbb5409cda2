// Sixteen results a thread, four by four, operands held in registers.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int BLOCK = 64, DEPTH = 8, PER = 4, SIDE = BLOCK / PER;
LAUNCH_SHAPE(SIDE, SIDE, BLOCK, BLOCK)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[DEPTH][BLOCK + 1], b[DEPTH][BLOCK];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * SIDE + tx;
  float sums[PER][PER] = {{0.0f}};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = id; e < BLOCK * DEPTH; e += SIDE * SIDE) {
      const int row = blockIdx.y * BLOCK + e / DEPTH, ka = first + e % DEPTH;
      a[e % DEPTH][e / DEPTH] = row < m && ka < k ? A[row * k + ka] : 0.0f;
      const int column = blockIdx.x * BLOCK + e % BLOCK, kb = first + e / BLOCK;
      b[e / BLOCK][e % BLOCK] = column < n && kb < k ? B[kb * n + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) {
      float left[PER], right[PER];
      for (int p = 0; p < PER; ++p) left[p] = a[i][ty + p * SIDE];
      for (int p = 0; p < PER; ++p) right[p] = b[i][tx + p * SIDE];
      for (int p = 0; p < PER; ++p)
        for (int q = 0; q < PER; ++q) sums[p][q] += left[p] * right[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < PER; ++p)
    for (int q = 0; q < PER; ++q) {
      const int row = blockIdx.y * BLOCK + ty + p * SIDE, column = blockIdx.x * BLOCK + tx + q * SIDE;
      if (row < m && column < n) C[row * n + column] = sums[p][q];
    }
}
