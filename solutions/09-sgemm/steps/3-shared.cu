// Tiles in shared memory
//
// A block loads a 32×32 tile of each matrix once and reads it 32 times. Global loads are a 32nd; shared memory
// has to deliver two floats for each multiply-add instead.
#include "launch_shape.cuh"

constexpr int SIDE = 32;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  __shared__ float A_tile[SIDE][SIDE];
  __shared__ float B_tile[SIDE][SIDE];
  const int y = threadIdx.y;
  const int x = threadIdx.x;
  const int row = blockIdx.y * SIDE + y;
  const int column = blockIdx.x * SIDE + x;
  float sum = 0;
  for (int first = 0; first < k; first += SIDE) {
    A_tile[y][x] = row < m && first + x < k ? A[static_cast<size_t>(row) * k + first + x] : 0.0f;
    B_tile[y][x] = first + y < k && column < n ? B[static_cast<size_t>(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < SIDE; ++i) sum += A_tile[y][i] * B_tile[i][x];
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  float& to = C[static_cast<size_t>(row) * n + column];
  to = alpha * sum + (beta != 0 ? beta * to : 0);
}
