// A warp multiplies 8×8 elements by shuffles alone: lanes hold A and B, and hand them round.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 1, 8, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int lane = threadIdx.x, row = blockIdx.y * 8 + lane / 4, column = blockIdx.x * 8 + lane % 4 * 2;
  float left = 0, right = 0;
  for (int from = 0; from < k; from += 4) {
    const int deep = from + lane % 4;
    const float a = row < m && deep < k ? A[row * k + deep] : 0.0f;  // row lane / 4, depth lane % 4
    const int column_of_b = blockIdx.x * 8 + lane / 4;
    const float b = column_of_b < n && deep < k ? B[deep * n + column_of_b] : 0.0f;
    for (int i = 0; i < 4; ++i) {
      const float mine = __shfl_sync(~0u, a, lane / 4 * 4 + i);
      left += mine * __shfl_sync(~0u, b, lane % 4 * 2 * 4 + i);
      right += mine * __shfl_sync(~0u, b, (lane % 4 * 2 + 1) * 4 + i);
    }
  }
  if (row >= m) return;
  if (column < n) C[row * n + column] = left;
  if (column + 1 < n) C[row * n + column + 1] = right;
}
