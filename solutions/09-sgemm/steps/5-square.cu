// Eight by eight outputs a thread
//
// For each depth a thread reads 8 numbers of A and 8 of B for 64 multiply-adds. A block of 256 threads computes
// 128×128 elements of C.
#include "launch_shape.cuh"

constexpr int SIDE = 128;
constexpr int DEPTH = 8;
constexpr int OUTPUTS = 8;
constexpr int ACROSS = SIDE / OUTPUTS;
constexpr int THREADS = ACROSS * ACROSS;
LAUNCH_SHAPE(ACROSS, ACROSS, SIDE, SIDE)

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ float A_tile[SIDE][DEPTH];
  __shared__ float B_tile[DEPTH][SIDE];
  const int thread = threadIdx.y * ACROSS + threadIdx.x;
  const int first_row = blockIdx.y * SIDE;
  const int first_column = blockIdx.x * SIDE;
  float sum[OUTPUTS][OUTPUTS] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = thread; e < SIDE * DEPTH; e += THREADS) {
      const int row = first_row + e / DEPTH;
      const int depth = first + e % DEPTH;
      A_tile[e / DEPTH][e % DEPTH] = row < m && depth < k ? A[static_cast<size_t>(row) * k + depth] : 0.0f;
    }
    for (int e = thread; e < SIDE * DEPTH; e += THREADS) {
      const int depth = first + e / SIDE;
      const int column = first_column + e % SIDE;
      B_tile[e / SIDE][e % SIDE] = depth < k && column < n ? B[static_cast<size_t>(depth) * n + column] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      float a[OUTPUTS], b[OUTPUTS];
      for (int i = 0; i < OUTPUTS; ++i) a[i] = A_tile[threadIdx.y * OUTPUTS + i][d];
      for (int j = 0; j < OUTPUTS; ++j) b[j] = B_tile[d][threadIdx.x * OUTPUTS + j];
      for (int i = 0; i < OUTPUTS; ++i)
        for (int j = 0; j < OUTPUTS; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < OUTPUTS; ++i)
    for (int j = 0; j < OUTPUTS; ++j) {
      const int row = first_row + threadIdx.y * OUTPUTS + i;
      const int column = first_column + threadIdx.x * OUTPUTS + j;
      if (row >= m || column >= n) continue;
      float& to = C[static_cast<size_t>(row) * n + column];
      to = alpha * sum[i][j] + (beta != 0 ? beta * to : 0);
    }
}
