// A cuda::barrier that asynchronous copies of single elements arrive at.
// Fits: multiples of 32.
#include "launch_shape.cuh"
#include <cuda/barrier>
LAUNCH_SHAPE(8, 8, 8, 8)

#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[2][8][8], b[2][8][8];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  if (x == 0 && y == 0) init(&full, 64);
  __syncthreads();
  auto fetch = [&](int slot, int from) {
    cuda::memcpy_async(&a[slot][y][x], &A[row * k + from + x], cuda::aligned_size_t<4>(4), full);
    cuda::memcpy_async(&b[slot][y][x], &B[(from + y) * n + column], cuda::aligned_size_t<4>(4), full);
  };
  float sum = 0;
  for (int from = 0, slot = 0; from < k; from += 8, slot ^= 1) {
    fetch(slot, from);
    full.arrive_and_wait();
    for (int i = 0; i < 8; ++i) sum += a[slot][y][i] * b[slot][i][x];
  }
  C[row * n + column] = sum;
}
