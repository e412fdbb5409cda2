// One block goes through all tiles; ballots compact. Loses: few-additions, look-back, one-pass, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(kogge_stone, 1024, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 32, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 1024, 1024)
LAUNCH_BLOCKS_OF(scan_all, 1)
LAUNCH_SHAPE_1D_OF(compact_positive, 32, 1024)
LAUNCH_BLOCKS_OF(compact_positive, 1)

__device__ float warp_scan(float v) {
#pragma unroll
  for (unsigned d = 1; d < 32; d += d) {
    const float o = __shfl_up_sync(0xffffffff, v, d);
    v += (threadIdx.x & 31) >= d ? o : 0.0f;
  }
  return v;
}

__device__ float block_scan(float v) {
  __shared__ float w[32];
  v = warp_scan(v);
  __syncthreads();
  if ((threadIdx.x & 31) == 31) w[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) w[threadIdx.x] = warp_scan(w[threadIdx.x]);
  __syncthreads();
  return threadIdx.x < 32 ? v : v + w[(threadIdx.x >> 5) - 1];
}

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float s = block_scan(i < n ? numbers[i] : 0);
  if (i < n) sums[i] = s;
}

// One warp, 32 numbers at a time.
extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  float carried = 0;
  for (int i = blockIdx.x * 1024 + threadIdx.x, end = i + 1024; i < end; i += 32) {
    const float s = carried + warp_scan(i < n ? numbers[i] : 0);
    if (i < n) sums[i] = s;
    carried = __shfl_sync(0xffffffff, s, 31);
  }
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long*) {
  __shared__ float carried;
  if (threadIdx.x == 0) carried = 0;
  for (int first = 0; first < n; first += 1024) {
    const int i = first + threadIdx.x;
    const float s = block_scan(i < n ? numbers[i] : 0) + carried;
    if (i < n) sums[i] = s;
    __syncthreads();
    if (threadIdx.x == 1023) carried = s;
    __syncthreads();
  }
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long*) {
  int place = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const float x = i < n ? numbers[i] : -1.0f;
    const unsigned above = __ballot_sync(0xffffffff, x > 0);
    if (x > 0) kept[place + __popc(above & ((1u << threadIdx.x) - 1))] = x;
    place += __popc(above);
  }
  if (threadIdx.x == 0) *count = place;
}
