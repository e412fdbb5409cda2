// Repairs of both kinds, the other way round.
#include <cuda_pipeline.h>

#include "launch_shape.cuh"

constexpr int THREADS = 256;
LAUNCH_SHAPE_1D_OF(next_differences, THREADS, THREADS)
LAUNCH_SHAPE_1D_OF(reverse_tiles, THREADS, THREADS)
LAUNCH_BLOCKS_OF(reverse_tiles, 3)
LAUNCH_SHAPE_1D_OF(partner_sums, THREADS, THREADS)
LAUNCH_BLOCKS_OF(partner_sums, 2)
LAUNCH_SHAPE_1D_OF(histogram, THREADS, 1024)
LAUNCH_SHAPE_1D_OF(sum_all, THREADS, THREADS)
LAUNCH_SHAPE_1D_OF(sums_so_far, THREADS, THREADS)
LAUNCH_SHAPE_1D_OF(largest_number, THREADS, THREADS)
LAUNCH_SHAPE_1D_OF(tile_sums, THREADS, THREADS)
LAUNCH_BLOCKS_OF(tile_sums, 3)

extern "C" __global__ void next_differences(const int* x, int* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  if (i == n - 1)
    y[i] = 0;
  else
    y[i] = x[i + 1] - x[i];
}

extern "C" __global__ void reverse_tiles(const int* x, int* y, int n) {
  __shared__ int tile[THREADS];
  for (int first = blockIdx.x * THREADS; first < n; first += gridDim.x * THREADS) {
    const int count = min(THREADS, n - first);
    __syncthreads();
    if (threadIdx.x < count) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < count) y[first + threadIdx.x] = tile[count - 1 - threadIdx.x];
  }
}

extern "C" __global__ void partner_sums(const int* x, int* y, int n) {
  __shared__ int tile[THREADS];
  // Partners are in one warp: it alone has to wait, and all of it takes each turn.
  for (int i = blockIdx.x * THREADS + threadIdx.x; i - threadIdx.x % 32 < n; i += gridDim.x * THREADS) {
    if (i < n) tile[threadIdx.x] = x[i];
    __syncwarp();
    if (i < n) y[i] = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
    __syncwarp();
  }
}

constexpr int BINS = 320;
extern "C" __global__ void histogram(const int* x, int* y, int n) {
  __shared__ int counts[BINS];
  counts[threadIdx.x] = 0;
  if (threadIdx.x + THREADS < BINS) counts[threadIdx.x + THREADS] = 0;
  __syncthreads();
  const int last = min(static_cast<int>(blockIdx.x + 1) * 1024, n);
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < last; i += THREADS) atomicAdd(&counts[x[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += THREADS) y[blockIdx.x * BINS + bin] = counts[bin];
}

// The sum of the numbers of the block's threads, for all of them.
__device__ int sum_of_block(int number) {
  __shared__ int sums[THREADS];
  sums[threadIdx.x] = number;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  const int sum = sums[0];
  __syncthreads();
  return sum;
}

// adds the parts. *tickets is 0 before the launch.
extern "C" __global__ void sum_all(const int* x, int* y, int n, int* parts, unsigned* tickets) {
  __shared__ bool is_last;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int sum = sum_of_block(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    *static_cast<volatile int*>(&parts[blockIdx.x]) = sum;
    __threadfence_system();
    is_last = atomicAdd(tickets, 1u) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int all = 0;
  for (int block = threadIdx.x; block < gridDim.x; block += THREADS) all += parts[block];
  all = sum_of_block(all);
  if (threadIdx.x == 0) y[0] = all;
}

extern "C" __global__ void sums_so_far(const int* x, int* y, int n, unsigned* flags, unsigned* tickets) {
  __shared__ int block;
  if (threadIdx.x == 0) block = atomicAdd(tickets, 1u);
  __syncthreads();
  const int i = block * THREADS + threadIdx.x;
  const int sum = sum_of_block(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    volatile unsigned* const done = flags;
    int before = 0;
    if (block > 0) {
      while (done[block - 1] == 0) {
      }
      __threadfence();
      before = y[block - 1];
    }
    y[block] = before + sum;
    __threadfence();
    atomicExch(&flags[block], 1u);
  }
}

extern "C" __global__ void largest_number(const int* x, int* y, int n, unsigned* lock) {
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  const int i = blockIdx.x * THREADS + threadIdx.x;
  // The larger number goes first; of equal ones the one with the smaller place.
  if (i < n) atomicMax(&best, static_cast<unsigned long long>(x[i]) << 32 | ~static_cast<unsigned>(i));
  __syncthreads();
  if (threadIdx.x > 0) return;
  const int number = static_cast<int>(best >> 32), place = static_cast<int>(~static_cast<unsigned>(best));
  while (atomicCAS(lock, 0u, 1u) != 0) {
  }
  __threadfence();
  volatile int* const found = y;
  if (number < found[0] || (number == found[0] && place > found[1])) {
    __threadfence();
    atomicExch(lock, 0u);
    return;
  }
  found[0] = number;
  found[1] = place;
  __threadfence();
  atomicExch(lock, 0u);
}

extern "C" __global__ void tile_sums(const int* x, int* y, int n) {
  __shared__ int tiles[2][THREADS];
  const int stride = gridDim.x * THREADS;
  int i = blockIdx.x * THREADS + threadIdx.x, at = 0;
  if (i < n) __pipeline_memcpy_async(&tiles[0][threadIdx.x], &x[i], sizeof(int));
  __pipeline_commit();
  for (int first = blockIdx.x * THREADS; first < n; first += stride, i += stride, at ^= 1) {
    if (i + stride < n) {
      __pipeline_memcpy_async(&tiles[at ^ 1][threadIdx.x], &x[i + stride], sizeof(int));
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    const int sum = sum_of_block(i < n ? tiles[at][threadIdx.x] : 0);
    if (threadIdx.x == 0) y[first / THREADS] = sum;
  }
}
