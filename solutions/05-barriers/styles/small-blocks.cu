// Blocks of two warps: butterflies, atomic_ref, and more blocks than the last one has threads. Loses: performance.
#include <cuda/atomic>
#include "launch_shape.cuh"
constexpr int SEG = 1024, T = 64;
LAUNCH_SHAPE_1D_OF(tree_sums, T, 1)
LAUNCH_SHAPE_1D_OF(shuffle_sums, T, 1)
LAUNCH_SHAPE_1D_OF(sum_all, T, T)
LAUNCH_BLOCKS_OF(sum_all, 1320)
__device__ __forceinline__ float butterfly(float v) {
#pragma unroll
  for (int m = 1; m < 32; m *= 2) v += __shfl_xor_sync(~0u, v, m);
  return v;
}
__device__ float mine(const float* __restrict__ x, int n) {
  const int begin = blockIdx.x * SEG;
  float s = 0;
#pragma unroll
  for (int k = 0; k < SEG / T; ++k) {
    const int i = begin + k * T + threadIdx.x;
    s += i < n ? x[i] : 0.f;
  }
  return s;
}
extern "C" __global__ void tree_sums(const float* __restrict__ x, float* __restrict__ sums, int n) {
  __shared__ volatile float t[T];
  t[threadIdx.x] = mine(x, n);
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = t[threadIdx.x] + t[threadIdx.x + 32];
    __syncwarp();
    for (int h = 16; h; h /= 2) {
      t[threadIdx.x] = v;
      __syncwarp();
      if (threadIdx.x < h) v += t[threadIdx.x + h];
      __syncwarp();
    }
    if (!threadIdx.x) sums[blockIdx.x] = v;
  }
}
extern "C" __global__ void shuffle_sums(const float* __restrict__ x, float* __restrict__ sums, int n) {
  __shared__ float half;
  const float v = butterfly(mine(x, n));
  if (threadIdx.x == 32) half = v;
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = v + half;
}
struct State { float of[1320]; unsigned count; };
__device__ State state;
extern "C" __global__ void sum_all(const float* __restrict__ x, float* sum, int n) {
  float v = 0;
  const int me = blockIdx.x * T + threadIdx.x, all = gridDim.x * T;
  for (int i = me; i < n / 4; i += all) {
    const float4 q = __ldg(reinterpret_cast<const float4*>(x) + i);
    v += q.x; v += q.y; v += q.z; v += q.w;
  }
  if (me < n % 4) v += x[n / 4 * 4 + me];
  v = butterfly(v);
  __shared__ float half;
  __shared__ unsigned ticket;
  if (threadIdx.x == 32) half = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    state.of[blockIdx.x] = v + half;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(state.count);
    ticket = c.fetch_add(1, cuda::memory_order_acq_rel);
  }
  __syncthreads();
  if (ticket + 1 != gridDim.x) return;
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += T) v += state.of[i];
  v = butterfly(v);
  if (threadIdx.x == 32) half = v;
  __syncthreads();
  if (threadIdx.x == 0) { *sum = v + half; state.count = 0; }
}
