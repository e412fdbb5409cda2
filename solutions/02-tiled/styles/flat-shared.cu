// Both tiles in one flat array; pointers move on to the next tile. Loses: performance.
#include "launch_shape.cuh"

constexpr int SIDE = 16, AREA = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float tiles[2 * AREA];
  float* const of_A = tiles;
  float* const of_B = tiles + AREA;
  const int own = threadIdx.y * SIDE + threadIdx.x;
  const float* from_A = A + (blockIdx.y * SIDE + threadIdx.y) * k + threadIdx.x;
  const float* from_B = B + threadIdx.y * n + blockIdx.x * SIDE + threadIdx.x;
  float result = 0.0f;
  for (int phases = k / SIDE; phases > 0; --phases) {
    of_A[own] = *from_A;
    of_B[own] = *from_B;
    from_A += SIDE;
    from_B += SIDE * n;
    __syncthreads();
    for (int p = threadIdx.y * SIDE, q = threadIdx.x; q < AREA; ++p, q += SIDE) result = fmaf(of_A[p], of_B[q], result);
    __syncthreads();
  }
  C[(blockIdx.y * SIDE + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x] = result;
}
