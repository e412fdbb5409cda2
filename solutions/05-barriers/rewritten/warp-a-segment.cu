// A copy of the style of this name: shuffles written out, `while` loops, functions in and out.
#include "launch_shape.cuh"
#define SEG 1024
#define FULL 0xffffffff
LAUNCH_SHAPE_1D_OF(tree_sums, SEG, 1)
LAUNCH_SHAPE_1D_OF(shuffle_sums, 128, 4)
LAUNCH_SHAPE_1D_OF(sum_all, 128, 2048)

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  __shared__ float buffer[SEG];
  int me = threadIdx.x;
  int where = blockIdx.x * blockDim.x + me;
  if (where < n)
    buffer[me] = numbers[where];
  else
    buffer[me] = 0.0f;
  int active = SEG;
  do {
    __syncthreads();
    active = active / 2;
    if (me < active) {
      float other = buffer[me + active];
      buffer[me] = buffer[me] + other;
    }
  } while (active > 1);
  if (me != 0) return;
  sums[blockIdx.x] = buffer[0];
}

__device__ float butterfly(float x) {
  x += __shfl_xor_sync(FULL, x, 1);
  x += __shfl_xor_sync(FULL, x, 2);
  x += __shfl_xor_sync(FULL, x, 4);
  x += __shfl_xor_sync(FULL, x, 8);
  x += __shfl_xor_sync(FULL, x, 16);
  return x;
}

extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  int l = threadIdx.x & 31, s = (blockIdx.x << 2) + (threadIdx.x >> 5);
  int begin = s << 10;
  if (begin < n) {
    float part = 0.0f;
    int p = begin + l;
    int stop = begin + SEG;
    if (stop > n) stop = n;
    while (p < stop) {
      part += numbers[p];
      p += 32;
    }
    part = butterfly(part);
    if (l == 0) sums[s] = part;
  }
}

__device__ unsigned int counter;
__device__ volatile float block_results[131073];

__device__ float all_warps(float x, float* scratch) {
  x = butterfly(x);
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = x;
  __syncthreads();
  float total = scratch[0];
  for (int w = 1; w < 4; ++w) total += scratch[w];
  return total;
}

extern "C" __global__ void sum_all(const float* numbers, float* out, int n) {
  __shared__ unsigned int mine;
  __shared__ float scratch[4];
  float x = 0.0f;
  for (int step = 0; step < 16; ++step) {
    int p = blockIdx.x * 2048 + step * 128 + threadIdx.x;
    if (p < n) x += numbers[p];
  }
  x = all_warps(x, scratch);
  if (threadIdx.x == 0) {
    block_results[blockIdx.x] = x;
    __threadfence();
    mine = atomicAdd(&counter, 1);
  }
  __syncthreads();
  if (mine + 1 != gridDim.x) return;
  __threadfence();
  x = 0.0f;
  unsigned q = threadIdx.x;
  while (q < gridDim.x) {
    x = x + block_results[q];
    q = q + 128;
  }
  x = all_warps(x, scratch);
  if (threadIdx.x == 0) {
    counter = 0;
    out[0] = x;
  }
}
