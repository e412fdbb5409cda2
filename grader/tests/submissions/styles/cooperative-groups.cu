// Barriers and ranks by cooperative groups.
// Fits: any size.
#include "launch_shape.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ float a[T * T], b[T * T];
  const unsigned rank = block.thread_rank();
  const int y = rank / T, x = rank % T;
  const int row = block.group_index().y * T + y, column = block.group_index().x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[rank] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    b[rank] = column < n && first + y < k ? B[(first + y) * n + column] : 0.0f;
    block.sync();
    for (int i = 0; i < T; ++i) sum += a[y * T + i] * b[i * T + x];
    block.sync();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
