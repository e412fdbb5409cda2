// Eight neighbours a thread through shared memory; one lane looks back. Loses: performance.
// Tiles by block number.
#include "launch_shape.cuh"
#define T 128
LAUNCH_SHAPE_1D_OF(kogge_stone, 1024, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, T, 1)
LAUNCH_SHAPE_1D_OF(scan_all, T, T * 8)
LAUNCH_SHAPE_1D_OF(compact_positive, T, T * 8)

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float left[1024], right[1024];
  float *from = left, *to = right;
  const unsigned t = threadIdx.x, i = blockIdx.x * 1024u + t;
  from[t] = i < n ? numbers[i] : 0;
  for (unsigned d = 1; d < 1024; d += d) {
    __syncthreads();
    to[t] = from[t] + (t < d ? 0 : from[t - d]);
    float* const other = from;
    from = to, to = other;
  }
  if (i < n) sums[i] = from[t];
}

template <class N>
struct Tile {
  N own[8];
  N total;
  // Makes `own` the sums of the thread's numbers and all before them in the block; `total` the block's sum.
  __device__ void scan() {
    __shared__ N warps[T / 32];
    for (int k = 1; k < 8; ++k) own[k] = own[k - 1] + own[k];
    N sum = own[7];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const N before = __shfl_up_sync(0xffffffffu, sum, d);
      sum = (threadIdx.x & 31) >= d ? before + sum : sum;
    }
    N before = __shfl_up_sync(0xffffffffu, sum, 1);
    if ((threadIdx.x & 31) == 0) before = 0;
    if ((threadIdx.x & 31) == 31) warps[threadIdx.x >> 5] = sum;
    __syncthreads();
    total = 0;
#pragma unroll
    for (int w = 0; w < T / 32; ++w) {
      if (w == threadIdx.x >> 5) before = total + before;
      total = total + warps[w];
    }
    for (int k = 0; k < 8; ++k) own[k] = before + own[k];
  }
};

// A word of place t has number 9 * t / 8, so that eight neighbours of each lane lie in other banks.
__device__ int place(int t) { return t + t / 8; }

template <class N>
__device__ void turned(const float* numbers, int n, N (&own)[8], float* buffer, bool counts, int tile) {
  const int first = tile * T * 8;
  for (int k = threadIdx.x; k < T * 8; k += T) buffer[place(k)] = first + k < n ? numbers[first + k] : 0.0f;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    const float x = buffer[place(threadIdx.x * 8 + k)];
    own[k] = counts ? N(x > 0) : N(x);
  }
}

__device__ void turned_back(const float (&own)[8], float add, float* sums, int n, float* buffer, int tile) {
  const int first = tile * T * 8;
  for (int k = 0; k < 8; ++k) buffer[place(threadIdx.x * 8 + k)] = add + own[k];
  __syncthreads();
  for (int k = threadIdx.x; k < T * 8; k += T)
    if (first + k < n) sums[first + k] = buffer[place(k)];
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float buffer[T * 9];
  Tile<float> tile;
  turned(numbers, n, tile.own, buffer, false, blockIdx.x);
  tile.scan();
  turned_back(tile.own, 0, sums, n, buffer, blockIdx.x);
}

// Tiles are numbered in the order in which blocks begin.
__device__ int drawn(unsigned long long* words) {
  __shared__ int number;
  if (threadIdx.x == T - 1) number = (int)atomicAdd(words, 1);
  __syncthreads();
  return number;
}

// One lane looks back, tile by tile, through 64-bit atomics.
template <class N>
__device__ N before_tile(unsigned long long* words, N own, int b) {
  __shared__ N before;
  if (threadIdx.x == T - 1) {
    union {
      N number;
      unsigned bits;
    } as;
    as.number = own;
    N sum = 0;
    atomicExch(words + b, (b ? 1ull : 3ull) << 62 | as.bits);
    for (int other = b - 1; other >= 0; --other) {
      unsigned long long word = 0;
      while (word >> 62 == 0) word = atomicOr(words + other, 0);
      as.bits = (unsigned)word;
      sum = as.number + sum;
      if (word >> 62 == 3) break;
    }
    as.number = sum + own;
    if (b) atomicExch(words + b, 3ull << 62 | as.bits);
    before = sum;
  }
  __syncthreads();
  return before;
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float buffer[T * 9];
  Tile<float> tile;
  const int number = drawn(words);
  turned(numbers, n, tile.own, buffer, false, number);
  tile.scan();
  turned_back(tile.own, before_tile(words + 1, tile.total, number), sums, n, buffer, number);
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ float buffer[T * 9];
  Tile<int> tile;
  const int number = drawn(words);
  turned(numbers, n, tile.own, buffer, true, number);
  tile.scan();
  const int before = before_tile(words + 1, tile.total, number);
  for (int k = 0; k < 8; ++k) {
    const float x = buffer[place(threadIdx.x * 8 + k)];
    if (x > 0) kept[before + tile.own[k] - 1] = x;
  }
  if (number == gridDim.x - 1 && threadIdx.x == 0) *count = before + tile.total;
}
