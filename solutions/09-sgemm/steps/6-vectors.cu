// Operands as float4, A's tile transposed
//
// With A's tile transposed and padded, a thread's 8 numbers of A are neighbours, and so are its 8 of B: 4 loads
// of 16 bytes for 64 multiply-adds instead of 16. Rows and columns come in groups of four, half a block apart,
// so that the lanes of a warp read neighbouring float4s and no bank twice.
#include "launch_shape.cuh"

constexpr int SIDE = 128;
constexpr int DEPTH = 8;
constexpr int OUTPUTS = 8;
constexpr int GROUP = 4;
constexpr int PADDING = 4;
constexpr int ACROSS = SIDE / OUTPUTS;
constexpr int THREADS = ACROSS * ACROSS;
LAUNCH_SHAPE(ACROSS, ACROSS, SIDE, SIDE)

__device__ int place(int thread, int i) { return i / GROUP * (SIDE / 2) + thread * GROUP + i % GROUP; }

__device__ void load(float (&to)[OUTPUTS], const float* row, int thread) {
  for (int i = 0; i < OUTPUTS; i += GROUP)
    *reinterpret_cast<float4*>(&to[i]) = *reinterpret_cast<const float4*>(&row[place(thread, i)]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ alignas(16) float A_tile[DEPTH][SIDE + PADDING];
  __shared__ alignas(16) float B_tile[DEPTH][SIDE];
  const int thread = threadIdx.y * ACROSS + threadIdx.x;
  const int first_row = blockIdx.y * SIDE;
  const int first_column = blockIdx.x * SIDE;
  float sum[OUTPUTS][OUTPUTS] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = 0; i < SIDE * DEPTH / THREADS; ++i) {
      const int e = thread + i * THREADS;
      const int row = first_row + e / DEPTH;
      const int depth = first + e % DEPTH;
      A_tile[e % DEPTH][e / DEPTH] = row < m && depth < k ? A[static_cast<size_t>(row) * k + depth] : 0.0f;
    }
    for (int i = 0; i < SIDE * DEPTH / THREADS; ++i) {
      const int e = thread + i * THREADS;
      const int depth = first + e / SIDE;
      const int column = first_column + e % SIDE;
      B_tile[e / SIDE][e % SIDE] = depth < k && column < n ? B[static_cast<size_t>(depth) * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      alignas(16) float a[OUTPUTS], b[OUTPUTS];
      load(a, A_tile[d], threadIdx.y);
      load(b, B_tile[d], threadIdx.x);
      for (int i = 0; i < OUTPUTS; ++i)
        for (int j = 0; j < OUTPUTS; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < OUTPUTS; ++i)
    for (int j = 0; j < OUTPUTS; ++j) {
      const int row = first_row + place(threadIdx.y, i);
      const int column = first_column + place(threadIdx.x, j);
      if (row >= m || column >= n) continue;
      float& to = C[static_cast<size_t>(row) * n + column];
      to = alpha * sum[i][j] + (beta != 0 ? beta * to : 0);
    }
}
