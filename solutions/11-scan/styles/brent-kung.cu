// A tree up and a tree down; release and acquire. Loses: few-barriers, one-pass, performance.
// A chain of tiles: each waits for the one before.
#include <cuda/atomic>
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(kogge_stone, 512, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 512, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 512, 1024)
LAUNCH_SHAPE_1D_OF(compact_positive, 512, 1024)

template <class T>
__device__ void tree(T* x) {
  for (int d = 1; d < 1024; d *= 2) {
    __syncthreads();
    const int at = (threadIdx.x + 1) * 2 * d - 1;
    if (at < 1024) x[at] += x[at - d];
  }
  for (int d = 256; d >= 1; d /= 2) {
    __syncthreads();
    const int at = (threadIdx.x + 1) * 2 * d - 1;
    if (at + d < 1024) x[at + d] += x[at];
  }
  __syncthreads();
}

// Two numbers a thread.
extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float x[1024];
  const int first = blockIdx.x * 1024, t = threadIdx.x;
  for (int k = t; k < 1024; k += 512) x[k] = first + k < n ? numbers[first + k] : 0.f;
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    const float a = t >= d ? x[t - d] : 0.f, b = t + 512 >= d ? x[t + 512 - d] : 0.f;
    __syncthreads();
    x[t] += a;
    x[t + 512] += b;
    __syncthreads();
  }
  for (int k = t; k < 1024; k += 512)
    if (first + k < n) sums[first + k] = x[k];
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float x[1024];
  const int first = blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024; k += 512) x[k] = first + k < n ? numbers[first + k] : 0.f;
  tree(x);
  for (int k = threadIdx.x; k < 1024; k += 512)
    if (first + k < n) sums[first + k] = x[k];
}

using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

// Chained: waits for the sum of all of the tile before, and hands its own on. The flag is the upper half.
__device__ unsigned long long chained(unsigned long long* words, int tile, unsigned long long (*add)(unsigned, unsigned),
                                      unsigned own) {
  unsigned long long before = 1ull << 32;
  if (tile > 0)
    while ((before = Word(words[tile - 1]).load(cuda::std::memory_order_acquire)) == 0) {
    }
  Word(words[tile]).store(add(static_cast<unsigned>(before), own), cuda::std::memory_order_release);
  return before;
}

__device__ unsigned long long add_floats(unsigned a, unsigned b) {
  return 1ull << 32 | __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
__device__ unsigned long long add_counts(unsigned a, unsigned b) { return 1ull << 32 | (a + b); }

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float x[1024], before;
  __shared__ int tile;
  if (threadIdx.x == 0) tile = Word(words[0]).fetch_add(1, cuda::std::memory_order_relaxed);
  __syncthreads();
  const int first = tile * 1024;
  for (int k = threadIdx.x; k < 1024; k += 512) x[k] = first + k < n ? numbers[first + k] : 0.f;
  tree(x);
  if (threadIdx.x == 0)
    before = __uint_as_float(static_cast<unsigned>(chained(words + 1, tile, add_floats, __float_as_uint(x[1023]))));
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 512)
    if (first + k < n) sums[first + k] = before + x[k];
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ int x[1024], before;
  __shared__ int tile;
  if (threadIdx.x == 0) tile = Word(words[0]).fetch_add(1, cuda::std::memory_order_relaxed);
  __syncthreads();
  const int first = tile * 1024;
  for (int k = threadIdx.x; k < 1024; k += 512) x[k] = first + k < n && numbers[first + k] > 0.f;
  tree(x);
  if (threadIdx.x == 0) before = static_cast<unsigned>(chained(words + 1, tile, add_counts, x[1023]));
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 512)
    if (first + k < n && numbers[first + k] > 0.f) kept[before + x[k] - 1] = numbers[first + k];
  if (threadIdx.x == 0 && first + 1024 >= n) *count = before + x[1023];
}
