// A warp for each sum, no shared memory in part 2, and a grid that grows with n.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(tree_sums, 1024, 1)
LAUNCH_SHAPE_1D_OF(shuffle_sums, 128, 4)
LAUNCH_SHAPE_1D_OF(sum_all, 128, 2048)

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  __shared__ float a[1024];
  const unsigned t = threadIdx.x, i = blockIdx.x * 1024 + t;
  a[t] = i < n ? numbers[i] : 0;
  __syncthreads();
  for (unsigned s = 512; s >= 1; s >>= 1) {
    if (t < s) a[t] += a[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = a[0];
}

__device__ float of_warp(float v) {
  for (int lane = 1; lane < 32; lane <<= 1) v += __shfl_xor_sync(~0u, v, lane);
  return v;
}

extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  const int segment = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (segment * 1024 >= n) return;
  float v = 0;
  for (int i = lane; i < 1024; i += 32)
    if (segment * 1024 + i < n) v += numbers[segment * 1024 + i];
  v = of_warp(v);
  if (lane == 0) sums[segment] = v;
}

__device__ volatile float parts[268435456 / 2048 + 1];
__device__ unsigned int drawn = 0;

extern "C" __global__ void sum_all(const float* numbers, float* out, int n) {
  __shared__ float four[4];
  __shared__ unsigned ticket;
  float v = 0;
  for (int i = blockIdx.x * 2048 + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * 2048); i += 128) v += numbers[i];
  v = of_warp(v);
  if (threadIdx.x % 32 == 0) four[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = four[0] + four[1] + four[2] + four[3];
    __threadfence();
    ticket = atomicAdd(&drawn, 1u);
  }
  __syncthreads();
  if (ticket == gridDim.x - 1) {
    __threadfence();
    v = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += 128) v += parts[i];
    v = of_warp(v);
    if (threadIdx.x % 32 == 0) four[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      *out = four[0] + four[1] + four[2] + four[3];
      drawn = 0;
    }
  }
}
