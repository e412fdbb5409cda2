// A block makes one element: partial sums in shared memory, halved again and again.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int THREADS = 32;
LAUNCH_SHAPE(THREADS, 1, 1, 1)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float partial[THREADS];
  const int me = threadIdx.x;
  float sum = 0.0f;
  for (int i = me; i < k; i += THREADS) sum += A[blockIdx.y * k + i] * B[i * n + blockIdx.x];
  partial[me] = sum;
  for (int half = THREADS / 2; half >= 1; half >>= 1) {
    __syncthreads();
    if (me < half) partial[me] += partial[me + half];
  }
  if (me == 0) C[blockIdx.y * n + blockIdx.x] = partial[0];
}
