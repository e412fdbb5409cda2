// cuda::barrier in shared memory: threads arrive when their copies have, and wait for its phase.
// Fits: any size.
#include <cuda/barrier>
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier filled, emptied;
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  if (x == 0 && y == 0) {
    init(&filled, T * T);
    init(&emptied, T * T);
  }
  __syncthreads();
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    if (row < m && first + x < k)
      cuda::memcpy_async(&a[y][x], &A[row * k + first + x], sizeof(float), filled);
    else
      a[y][x] = 0.0f;
    if (first + y < k && column < n)
      cuda::memcpy_async(&b[y][x], &B[(first + y) * n + column], sizeof(float), filled);
    else
      b[y][x] = 0.0f;
    filled.arrive_and_wait();
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    emptied.arrive_and_wait();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
