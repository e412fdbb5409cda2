// Trees in all parts, double sums, and one thread that adds all blocks' sums. Loses: shuffles.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D(128, 1)
LAUNCH_BLOCKS_OF(sum_all, 33)

__device__ double tree(double x) {
  __shared__ double t[128];
  t[threadIdx.x] = x;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) t[threadIdx.x] += t[threadIdx.x + half];
  }
  return t[0];
}

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  double x = 0;
  for (int k = 0; k < 8; ++k) {
    int i = blockIdx.x * 1024 + 128 * k + threadIdx.x;
    if (i < n) x += numbers[i];
  }
  x = tree(x);
  if (threadIdx.x == 0) sums[blockIdx.x] = x;
}

extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  double x = 0;
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n && i < blockIdx.x * 1024 + 1024; i += 128) x += numbers[i];
  x = tree(x);
  if (threadIdx.x == 0) sums[blockIdx.x] = x;
}

__device__ double parts[33];
__device__ int ready;

extern "C" __global__ void sum_all(const float* numbers, float* sum, int n) {
  double x = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 33 * 128) x += numbers[i];
  x = tree(x);
  if (threadIdx.x > 0) return;
  parts[blockIdx.x] = x;
  __threadfence();
  if (atomicAdd(&ready, 1) != 32) return;
  __threadfence();
  x = 0;
  for (int i = 0; i < 33; ++i) x += parts[i];
  *sum = x;
  ready = 0;
}
