// A copy of the style of this name: the steps in loops where it wrote them out, and the other way round.
#include "launch_shape.cuh"
constexpr int CREW = 256;
LAUNCH_SHAPE_1D_OF(tree_sums, CREW, 2)
LAUNCH_SHAPE_1D_OF(shuffle_sums, 32, 1)
LAUNCH_SHAPE_1D_OF(sum_all, CREW, 1)
LAUNCH_BLOCKS_OF(sum_all, 2112)

extern "C" __global__ void tree_sums(const float* values, float* results, int count) {
  __shared__ float tree[CREW];
  const int me = threadIdx.x;
  for (int half = 0; half < 2; half++) {
    const int number = 2 * blockIdx.x + half;
    if (1024 * number >= count) return;
    const int first = 1024 * number + me;
    float own = 0.f;
    if (first < count) own = values[first];
    for (int more = 256; more < 1024; more += 256)
      if (first + more < count) own = own + values[first + more];
    tree[me] = own;
    __syncthreads();
    for (int part = 128; part >= 64; part /= 2) {
      if (me < part) tree[me] = tree[me] + tree[me + part];
      __syncthreads();
    }
    if (me < 32) {
      volatile float* last = tree;
      last[me] = last[me] + last[me + 32];
      __syncwarp();
      int distance = 16;
      while (distance > 0) {
        const float got = last[me + distance];
        __syncwarp();
        last[me] += got;
        __syncwarp();
        distance >>= 1;
      }
      if (me == 0) results[number] = last[0];
    }
    __syncthreads();
  }
}

extern "C" __global__ void shuffle_sums(const float* values, float* results, int count) {
  const int end = (blockIdx.x + 1) * 1024;
  float own = 0.f;
  int at = blockIdx.x * 1024 + threadIdx.x;
  while (at < end) {
    if (at < count) own += values[at];
    at += 32;
  }
  for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0, own, distance);
  if (threadIdx.x == 0) results[blockIdx.x] = own;
}

__device__ unsigned drawn;
__device__ float of_block[2112];

__device__ float joined(float own, float* warps) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int distance = 16; distance > 0; distance >>= 1) own = own + __shfl_xor_sync(~0, own, distance);
  if (lane == 31) warps[warp] = own;
  __syncthreads();
  float of_all = warps[threadIdx.x % 8];
  of_all += __shfl_xor_sync(~0, of_all, 4);
  of_all += __shfl_xor_sync(~0, of_all, 2);
  of_all += __shfl_xor_sync(~0, of_all, 1);
  return of_all;
}

extern "C" __global__ void sum_all(const float* values, float* results, int count) {
  __shared__ int is_last;
  __shared__ float warps[8];
  const int everybody = CREW * 2112;
  float even = 0, odd = 0;
  int at = blockIdx.x * CREW + threadIdx.x;
  while (at + everybody < count) {
    const float one = __ldcs(values + at), two = __ldcs(values + at + everybody);
    even += one;
    odd += two;
    at += 2 * everybody;
  }
  if (at < count) even += values[at];
  const float sum = joined(even + odd, warps);
  if (threadIdx.x == 31) {
    of_block[blockIdx.x] = sum;
    __threadfence();
    const unsigned ticket = atomicInc(&drawn, gridDim.x - 1);
    is_last = ticket + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float rest = 0;
  for (int block = threadIdx.x; block < 2112; block += CREW) rest += __ldcg(of_block + block);
  rest = joined(rest, warps);
  if (threadIdx.x == 0) *results = rest;
}
