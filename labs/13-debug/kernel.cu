// Lab 13-debug: this file is yours. Fill in the TODOs, then type: ./warpgrade check 13-debug
// (Course staff: made by `make skeletons` from solutions/13-debug/kernel.cu; edit that one.)

// Debugging: eight kernels, each with one fault
//
// Problem   Each kernel does what the comment above it says, but for one fault. Name the fault in faults.toml, by a line
//           of this file as you got it and by the word for what it causes; then repair it. A kernel must still do its
//           work in the way that it is meant to.
// Approach  For each pair of accesses to one place ask who makes them, and what puts them in order: nothing but a barrier
//           within a block, and nothing but a fence and a flag or an atomic between blocks.
// Cost      A repair takes one or two lines.
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

// TODO(1): y[i] is the difference of number i + 1 and number i; the last one has no next number, and its y is 0.
extern "C" __global__ void next_differences(const int* x, int* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  y[i] = i < n ? x[i + 1] - x[i] : 0;
}

// TODO(2): Each tile of THREADS numbers is reversed; the last one may have fewer. A block takes every gridDim.x-th tile.
extern "C" __global__ void reverse_tiles(const int* x, int* y, int n) {
  __shared__ int tile[THREADS];
  for (int first = blockIdx.x * THREADS; first < n; first += gridDim.x * THREADS) {
    const int count = min(THREADS, n - first);
    if (threadIdx.x < count) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < count) y[first + threadIdx.x] = tile[count - 1 - threadIdx.x];
  }
}

// TODO(3): y[i] is the sum of number i and of its partner: 0 and 1, 2 and 3 and so on are partners. n is even.
extern "C" __global__ void partner_sums(const int* x, int* y, int n) {
  __shared__ int tile[THREADS];
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    tile[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
    __syncthreads();
  }
}

// TODO(4): Each segment of 1,024 numbers gets BINS counts: count b of segment s is y[s * BINS + b], and says how many numbers
// of the segment are b. All numbers are from 0 to BINS - 1.
constexpr int BINS = 320;
extern "C" __global__ void histogram(const int* x, int* y, int n) {
  __shared__ int counts[BINS];
  if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
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
  __syncthreads();  // nobody begins the next sum before all have read this one
  return sum;
}

// TODO(5): y[0] is the sum of all numbers: each block leaves its sum in parts and draws a ticket, and who draws the last one
// adds the parts. *tickets is 0 before the launch.
extern "C" __global__ void sum_all(const int* x, int* y, int n, int* parts, unsigned* tickets) {
  __shared__ bool is_last;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int sum = sum_of_block(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int all = 0;
  for (int block = threadIdx.x; block < gridDim.x; block += THREADS) all += parts[block];
  all = sum_of_block(all);
  if (threadIdx.x == 0) y[0] = all;
}

// TODO(6): y[b] is the sum of the numbers of blocks 0 to b. A block draws its number b, waits for the sum of the block
// before, and hands its own on. All flags, and *tickets, are 0 before the launch.
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
    __threadfence_block();
    done[block] = 1;
  }
}

// TODO(7): y[0] is the largest number and y[1] the first place where it stands. Blocks take turns by a lock. All numbers
// are above 0, and *lock, y[0] and y[1] are 0 before the launch.
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
  if (number < found[0] || (number == found[0] && place > found[1])) return;
  found[0] = number;
  found[1] = place;
  __threadfence();
  atomicExch(lock, 0u);
}

// TODO(8): y[t] is the sum of tile t, which has THREADS numbers, the last one perhaps fewer. A block takes every
// gridDim.x-th tile. While it adds one, the numbers of the next are copied to the other half of `tiles`.
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
    }
    __pipeline_wait_prior(1);  // all groups of copies but the last one are done
    const int sum = sum_of_block(i < n ? tiles[at][threadIdx.x] : 0);
    if (threadIdx.x == 0) y[first / THREADS] = sum;
  }
}
