// A copy of the style of this name: other names, the scan of a thread without a loop, a plain if for a choice.
#include "launch_shape.cuh"
#define T 128
LAUNCH_SHAPE_1D_OF(kogge_stone, 1024, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, T, 1)
LAUNCH_SHAPE_1D_OF(scan_all, T, T * 8)
LAUNCH_SHAPE_1D_OF(compact_positive, T, T * 8)

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float left[1024], right[1024];
  float* from = left;
  float* to = right;
  const unsigned t = threadIdx.x, i = blockIdx.x * 1024u + t;
  from[t] = i < n ? numbers[i] : 0;
  for (unsigned d = 1; d < 1024; d += d) {
    __syncthreads();
    float next = from[t];
    if (t >= d) next += from[t - d];
    to[t] = next;
    float* const other = from;
    from = to, to = other;
  }
  if (i < n) sums[i] = from[t];
}

template <class N>
struct Group {
  N mine[8];
  N whole;
  // Makes `mine` the sums of the thread's numbers and all before them in the block; `whole` the block's sum.
  __device__ void scan() {
    __shared__ N of_warps[T / 32];
    N so_far = mine[0];
    for (int k = 1; k != 8; k++) {
      so_far += mine[k];
      mine[k] = so_far;
    }
    N sum = mine[7];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const N before = __shfl_up_sync(0xffffffffu, sum, d);
      if (threadIdx.x % 32 >= d) sum += before;
    }
    N before = __shfl_up_sync(0xffffffffu, sum, 1);
    if ((threadIdx.x & 31) == 0) before = 0;
    if ((threadIdx.x & 31) == 31) of_warps[threadIdx.x >> 5] = sum;
    __syncthreads();
    whole = 0;
#pragma unroll
    for (int w = 0; w < T / 32; ++w) {
      if (threadIdx.x / 32 == w) before += whole;
      whole += of_warps[w];
    }
    for (int k = 0; k < 8; ++k) mine[k] = before + mine[k];
  }
};

__device__ int slot(int t) { return t / 8 + t; }

template <class N>
__device__ void bring(const float* numbers, int n, N (&mine)[8], float* space, bool counts, int tile) {
  const int first = tile * T * 8;
  for (int k = threadIdx.x; k < T * 8; k += T) space[slot(k)] = first + k < n ? numbers[first + k] : 0.0f;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    const float x = space[slot(threadIdx.x * 8 + k)];
    mine[k] = counts ? N(x > 0) : N(x);
  }
}

__device__ void carry(const float (&mine)[8], float add, float* sums, int n, float* space, int tile) {
  const int first = tile * T * 8;
  for (int k = 0; k < 8; ++k) space[slot(threadIdx.x * 8 + k)] = add + mine[k];
  __syncthreads();
  for (int k = threadIdx.x; k < T * 8; k += T)
    if (first + k < n) sums[first + k] = space[slot(k)];
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float space[T * 9];
  Group<float> tile;
  bring(numbers, n, tile.mine, space, false, blockIdx.x);
  tile.scan();
  carry(tile.mine, 0, sums, n, space, blockIdx.x);
}

__device__ int ticket(unsigned long long* words) {
  __shared__ int number;
  if (threadIdx.x == T - 1) number = (int)atomicAdd(words, 1);
  __syncthreads();
  return number;
}

template <class N>
__device__ N look_back(unsigned long long* words, N mine, int b) {
  __shared__ N before;
  if (threadIdx.x == T - 1) {
    union {
      N number;
      unsigned bits;
    } as;
    as.number = mine;
    N sum = 0;
    atomicExch(words + b, (b ? 1ull : 3ull) << 62 | as.bits);
    for (int other = b - 1; other >= 0; --other) {
      unsigned long long word = 0;
      while (word >> 62 == 0) word = atomicOr(words + other, 0);
      as.bits = (unsigned)word;
      sum += as.number;
      if (word >> 62 == 3) break;
    }
    as.number = sum + mine;
    if (b) atomicExch(words + b, 3ull << 62 | as.bits);
    before = sum;
  }
  __syncthreads();
  return before;
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float space[T * 9];
  Group<float> tile;
  const int number = ticket(words);
  bring(numbers, n, tile.mine, space, false, number);
  tile.scan();
  carry(tile.mine, look_back(words + 1, tile.whole, number), sums, n, space, number);
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ float space[T * 9];
  Group<int> tile;
  const int number = ticket(words);
  bring(numbers, n, tile.mine, space, true, number);
  tile.scan();
  const int before = look_back(words + 1, tile.whole, number);
  for (int k = 0; k < 8; ++k) {
    const float x = space[slot(threadIdx.x * 8 + k)];
    if (x > 0) kept[before + tile.mine[k] - 1] = x;
  }
  if (number == gridDim.x - 1 && threadIdx.x == 0) *count = before + tile.whole;
}
