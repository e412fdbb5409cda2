// Four neighbours of a row a thread, held in a float4; square tiles, the depth of a tile as wide as the block. Loses: performance.
#include "launch_shape.cuh"

constexpr int SIDE = 32, PER = 4;
LAUNCH_SHAPE(SIDE / PER, SIDE, SIDE, SIDE)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[SIDE][SIDE];
  __shared__ float4 b[SIDE][SIDE / PER];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x * PER;
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < k; first += SIDE) {
    for (int i = 0; i < PER; ++i) {
      const int depth = first + x + i * (SIDE / PER);
      a[y][x + i * (SIDE / PER)] = row < m && depth < k ? A[row * k + depth] : 0.0f;
    }
    const bool inside = first + y < k;
    const float* from = B + (first + y) * n + column;
    b[y][x] = make_float4(inside && column < n ? from[0] : 0.0f, inside && column + 1 < n ? from[1] : 0.0f,
                          inside && column + 2 < n ? from[2] : 0.0f, inside && column + 3 < n ? from[3] : 0.0f);
    __syncthreads();
    for (int d = 0; d < SIDE; ++d) {
      const float left = a[y][d];
      const float4 right = b[d][x];
      sum.x += left * right.x;
      sum.y += left * right.y;
      sum.z += left * right.z;
      sum.w += left * right.w;
    }
    __syncthreads();
  }
  const float sums[PER] = {sum.x, sum.y, sum.z, sum.w};
  for (int i = 0; i < PER; ++i)
    if (row < m && column + i < n) C[row * n + column + i] = sums[i];
}
