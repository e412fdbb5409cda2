// Eight lanes make one element: a tiled partition of the warp adds what its ranks have summed.
// Fits: any size.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "launch_shape.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE(32, 4, 4, 4)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const auto team = cg::tiled_partition<8>(cg::this_thread_block());
  const int row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 4 + threadIdx.x / 8;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = team.thread_rank(); i < k; i += team.size()) sum += A[row * k + i] * B[i * n + column];
  sum = cg::reduce(team, sum, cg::plus<float>());
  if (team.thread_rank() == 0) C[row * n + column] = sum;
}
