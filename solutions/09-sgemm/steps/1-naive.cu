// One output a thread, neighbours in a column of C
//
// The obvious kernel with the obvious mistake: threadIdx.x runs along rows, so the 32 lanes of a warp read 32
// rows of A and write 32 rows of C, each in a sector of its own.
#include "launch_shape.cuh"

constexpr int SIDE = 32;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  const int row = blockIdx.y * SIDE + threadIdx.x;
  const int column = blockIdx.x * SIDE + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[static_cast<size_t>(row) * k + i] * B[static_cast<size_t>(i) * n + column];
  float& to = C[static_cast<size_t>(row) * n + column];
  to = alpha * sum + (beta != 0 ? beta * to : 0);
}
