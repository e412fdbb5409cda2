// The first additions while loading, two sums a block, streaming loads, and a ticket drawn by thread 31.
#include "launch_shape.cuh"
#define N 256
LAUNCH_SHAPE_1D_OF(tree_sums, N, 2)
LAUNCH_SHAPE_1D_OF(shuffle_sums, 32, 1)
LAUNCH_SHAPE_1D_OF(sum_all, N, 1)
LAUNCH_BLOCKS_OF(sum_all, 2112)

extern "C" __global__ void tree_sums(const float* in, float* out, int n) {
  __shared__ float s[N];
  const int tid = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    const int segment = blockIdx.x * 2 + k;
    if (segment * 1024 >= n) return;
    const int i = segment * 1024 + tid;
    float x = i < n ? in[i] : 0.f;
    if (i + 256 < n) x += in[i + 256];
    if (i + 512 < n) x += in[i + 512];
    if (i + 768 < n) x += in[i + 768];
    s[tid] = x;
    __syncthreads();
    if (tid < 128) s[tid] += s[tid + 128];
    __syncthreads();
    if (tid < 64) s[tid] += s[tid + 64];
    __syncthreads();
    if (tid < 32) {
      volatile float* v = s;
      v[tid] += v[tid + 32]; __syncwarp();
      for (int d = 16; d > 0; d >>= 1) {
        const float y = v[tid + d]; __syncwarp();
        v[tid] = v[tid] + y; __syncwarp();
      }
      if (tid == 0) out[segment] = v[0];
    }
    __syncthreads();
  }
}

extern "C" __global__ void shuffle_sums(const float* in, float* out, int n) {
  float x = 0.f;
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < (blockIdx.x + 1) * 1024; i += 32)
    if (i < n) x += in[i];
  x += __shfl_down_sync(~0, x, 16);
  x += __shfl_down_sync(~0, x, 8);
  x += __shfl_down_sync(~0, x, 4);
  x += __shfl_down_sync(~0, x, 2);
  x += __shfl_down_sync(~0, x, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = x;
}

__device__ float part[2112];
__device__ unsigned counter;

__device__ float add_up(float x, float* s) {
  for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(~0, x, d);
  if (threadIdx.x % 32 == 31) s[threadIdx.x / 32] = x;
  __syncthreads();
  x = s[threadIdx.x % 8];
  for (int d = 4; d > 0; d >>= 1) x += __shfl_xor_sync(~0, x, d);
  return x;
}

extern "C" __global__ void sum_all(const float* in, float* out, int n) {
  __shared__ float s[8];
  __shared__ int finish;
  float a = 0, b = 0;
  const int all = 2112 * N;
  int i = blockIdx.x * N + threadIdx.x;
  for (; i + all < n; i += 2 * all) {
    a += __ldcs(in + i);
    b += __ldcs(in + i + all);
  }
  if (i < n) a += in[i];
  const float x = add_up(a + b, s);
  if (threadIdx.x == 31) {
    part[blockIdx.x] = x;
    __threadfence();
    finish = atomicInc(&counter, gridDim.x - 1) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!finish) return;
  __threadfence();
  a = 0;
  for (int k = threadIdx.x; k < 2112; k += N) a += __ldcg(part + k);
  a = add_up(a, s);
  if (threadIdx.x == 0) out[0] = a;
}
