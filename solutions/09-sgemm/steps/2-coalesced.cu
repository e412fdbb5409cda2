// Neighbours in a row of C
//
// threadIdx.x runs along columns: a warp reads one element of A and 32 neighbours of B, and writes 32 neighbours
// of C. Each multiply-add still needs two loads, which now come from L1.
#include "launch_shape.cuh"

constexpr int SIDE = 32;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  const int row = blockIdx.y * SIDE + threadIdx.y;
  const int column = blockIdx.x * SIDE + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[static_cast<size_t>(row) * k + i] * B[static_cast<size_t>(i) * n + column];
  float& to = C[static_cast<size_t>(row) * n + column];
  to = alpha * sum + (beta != 0 ? beta * to : 0);
}
