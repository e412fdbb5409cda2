// Two buffers; number and flag apart, with a fence on both sides. Loses: one-pass, performance.
// One thread looks back.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(kogge_stone, 1024, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 128, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 512, 2048)
LAUNCH_SHAPE_1D_OF(compact_positive, 512, 512)

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float s[2][1024];
  int t = threadIdx.x, i = blockIdx.x * 1024 + t, from = 0;
  s[0][t] = i < n ? numbers[i] : 0;
  __syncthreads();
  for (int d = 1; d < 1024; d <<= 1, from ^= 1) {
    s[from ^ 1][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    __syncthreads();
  }
  if (i < n) sums[i] = s[from][t];
}

// Eight neighbours a thread.
extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float warps[4];
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 1024 + t * 8;
  float v[8], total = 0;
  for (int k = 0; k < 8; ++k) v[k] = total += i + k < n ? numbers[i + k] : 0;
  float upto = total;
  for (int d = 1; d < 32; d <<= 1) {
    float o = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += o;
  }
  if (lane == 31) warps[t >> 5] = upto;
  __syncthreads();
  float before = __shfl_up_sync(~0u, upto, 1);
  if (lane == 0) before = 0;
  for (int w = 0; w < t >> 5; ++w) before += warps[w];
  for (int k = 0; k < 8; ++k)
    if (i + k < n) sums[i + k] = before + v[k];
}

template <class T>
__device__ T inclusive(T v, T* s) {
  const int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    T o = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += o;
    __syncthreads();
  }
  return s[t];
}

// The scratch words as pairs of a number and a flag: 1 own sum, 2 sum of all.
struct Pair {
  unsigned number, flag;
};

__device__ void publish(volatile Pair* pair, unsigned number, unsigned flag) {
  pair->number = number;
  __threadfence();
  pair->flag = flag;
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float s[512], before;
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)words, 1u);
  __syncthreads();
  const int i = ticket * 2048 + threadIdx.x * 4;
  float v[4], total = 0;
  for (int k = 0; k < 4; ++k) v[k] = total += i + k < n ? numbers[i + k] : 0;
  const float upto = inclusive(total, s);
  if (threadIdx.x == 511) {
    // Numbers of a second publication go to a place of their own: the first one may still be read.
    volatile Pair* own = (volatile Pair*)(words + 1);
    float sum = 0;
    if (ticket > 0) {
      publish(own + ticket, __float_as_uint(upto), 1);
      for (int other = ticket - 1; other >= 0; --other) {
        unsigned flag;
        while ((flag = own[other].flag) == 0) {
        }
        __threadfence();
        sum += __uint_as_float(own[other].number);
      }
    } else {
      publish(own, __float_as_uint(upto), 1);
    }
    before = sum;
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k)
    if (i + k < n) sums[i + k] = before + (upto - total) + v[k];
}

// A chain: each tile waits for the sum of all of the tile before.
extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ int s[512], before;
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)words, 1u);
  __syncthreads();
  const int i = ticket * 512 + threadIdx.x;
  const bool keep = i < n && numbers[i] > 0;
  const int upto = inclusive((int)keep, s);
  volatile Pair* own = (volatile Pair*)(words + 1);
  if (threadIdx.x == 511) {
    before = 0;
    if (ticket > 0) {
      while (own[ticket - 1].flag == 0) {
      }
      __threadfence();
      before = own[ticket - 1].number;
    }
    publish(own + ticket, before + upto, 2);
    if (ticket == gridDim.x - 1) *count = before + upto;
  }
  __syncthreads();
  if (keep) kept[before + upto - 1] = numbers[i];
}
