// Eight outputs a thread, one below the other
//
// An element of B's tile, once read, serves 8 multiply-adds in registers: 9 reads from shared memory for 8
// multiply-adds, where there were 16.
#include "launch_shape.cuh"

constexpr int SIDE = 64;
constexpr int DEPTH = 8;
constexpr int OUTPUTS = 8;
LAUNCH_SHAPE(SIDE, SIDE / OUTPUTS, SIDE, SIDE)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  __shared__ float A_tile[SIDE][DEPTH];
  __shared__ float B_tile[DEPTH][SIDE];
  const int x = threadIdx.x;
  const int thread = threadIdx.y * SIDE + x;
  const int first_row = blockIdx.y * SIDE;
  const int column = blockIdx.x * SIDE + x;
  float sum[OUTPUTS] = {};
  for (int first = 0; first < k; first += DEPTH) {
    const int row = first_row + thread / DEPTH;
    const int depth = first + thread % DEPTH;
    A_tile[thread / DEPTH][thread % DEPTH] = row < m && depth < k ? A[static_cast<size_t>(row) * k + depth] : 0.0f;
    const int below = first + threadIdx.y;
    B_tile[threadIdx.y][x] = below < k && column < n ? B[static_cast<size_t>(below) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) {
      const float b = B_tile[i][x];
      for (int j = 0; j < OUTPUTS; ++j) sum[j] += A_tile[threadIdx.y * OUTPUTS + j][i] * b;
    }
    __syncthreads();
  }
  for (int j = 0; j < OUTPUTS; ++j) {
    const int row = first_row + threadIdx.y * OUTPUTS + j;
    if (row >= m || column >= n) continue;
    float& to = C[static_cast<size_t>(row) * n + column];
    to = alpha * sum[j] + (beta != 0 ? beta * to : 0);
  }
}
