// Scans of cooperative groups, tiles drawn behind their words. Loses: few-additions, few-barriers, performance.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include "launch_shape.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE_1D_OF(kogge_stone, 256, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 256, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 256, 256)
LAUNCH_SHAPE_1D_OF(compact_positive, 128, 512)

// The inclusive scan of the block's values; the block's sum in *total.
template <class T>
__device__ T scanned(T value, T* total) {
  __shared__ T sums[8];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const T inclusive = cg::inclusive_scan(warp, value, cg::plus<T>());
  block.sync();
  if (warp.thread_rank() == 31) sums[warp.meta_group_rank()] = inclusive;
  block.sync();
  T before = 0, all = 0;
  for (unsigned w = 0; w < warp.meta_group_size(); ++w) {
    if (w == warp.meta_group_rank()) before = all;
    all += sums[w];
  }
  *total = all;
  return before + inclusive;
}

__device__ void scan_segment(const float* numbers, float* sums, int n) {
  float carried = 0, total;
  for (int part = 0; part < 1024; part += blockDim.x) {
    const int i = blockIdx.x * 1024 + part + threadIdx.x;
    const float sum = scanned(i < n ? numbers[i] : 0.0f, &total);
    if (i < n) sums[i] = carried + sum;
    carried += total;
  }
}

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) { scan_segment(numbers, sums, n); }
extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) { scan_segment(numbers, sums, n); }

template <class T> __device__ unsigned bits(T number);
template <> __device__ unsigned bits(float number) { return __float_as_uint(number); }
template <> __device__ unsigned bits(int number) { return number; }
template <class T> __device__ T number(unsigned bits);
template <> __device__ float number(unsigned bits) { return __uint_as_float(bits); }
template <> __device__ int number(unsigned bits) { return bits; }

// The number of the block's tile; the ticket is behind the words of all tiles.
__device__ unsigned tile_of_block(unsigned long long* words) {
  __shared__ unsigned tile;
  cg::invoke_one(cg::this_thread_block(), [&] { tile = atomicAdd(words + gridDim.x, 1ull); });
  cg::this_thread_block().sync();
  return tile;
}

// The sum of all tiles before. One thread exchanges words by atomics.
template <class T>
__device__ T before_tile(unsigned long long* words, unsigned tile, T own) {
  __shared__ T before;
  if (threadIdx.x == 0) {
    T sum = 0;
    if (tile > 0) {
      unsigned long long word;
      do word = atomicAdd(&words[tile - 1], 0ull);
      while (!word);
      sum = number<T>(word);
    }
    atomicExch(&words[tile], 1ull << 40 | bits<T>(sum + own));
    before = sum;
  }
  __syncthreads();
  return before;
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  const unsigned tile = tile_of_block(words);
  const int i = tile * 256 + threadIdx.x;
  float total;
  const float sum = scanned(i < n ? numbers[i] : 0.0f, &total);
  const float before = before_tile(words, tile, total);
  if (i < n) sums[i] = before + sum;
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  const unsigned tile = tile_of_block(words);
  float own[4];
  int many = 0, total;
  for (int k = 0; k < 4; ++k) {
    const int i = tile * 512 + threadIdx.x * 4 + k;
    if (i < n && numbers[i] > 0) own[many++] = numbers[i];
  }
  const int upto = scanned(many, &total);
  const int place = before_tile(words, tile, total) + upto - many;
  for (int k = 0; k < many; ++k) kept[place + k] = own[k];
  if (tile == gridDim.x - 1 && threadIdx.x == 127) *count = place + many;
}
