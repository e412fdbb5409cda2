// styles/one-block.cu rewritten from scratch, as a copyist would.
#include "launch_shape.cuh"
#define FULL 0xffffffffu
#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
LAUNCH_SHAPE_1D_OF(kogge_stone, 1024, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 32, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 1024, 1024)
LAUNCH_BLOCKS_OF(scan_all, 1)
LAUNCH_SHAPE_1D_OF(compact_positive, 32, 1024)
LAUNCH_BLOCKS_OF(compact_positive, 1)

struct Warp {
  float total;
  __device__ void hop(int by) {
    float left = __shfl_up_sync(FULL, total, by);
    if (LANE < by) left = 0.f;
    total = left + total;
  }
  __device__ float run(float mine) {
    total = mine;
    hop(1);
    hop(2);
    hop(4);
    hop(8);
    hop(16);
    return total;
  }
};

__device__ float all_of_block(float mine, float* box) {
  Warp w;
  const float inside = w.run(mine);
  __syncthreads();
  if (LANE == 31) box[WARP] = inside;
  __syncthreads();
  if (WARP == 0) {
    Warp u;
    box[LANE] = u.run(box[LANE]);
  }
  __syncthreads();
  float before = 0.f;
  if (WARP > 0) before = box[WARP - 1];
  return before + inside;
}

__device__ float or_zero(const float* p, int at, int n) {
  float v = 0;
  if (at < n) v = p[at];
  return v;
}

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float box[32];
  const int at = (blockIdx.x << 10) + threadIdx.x;
  const float got = all_of_block(or_zero(numbers, at, n), box);
  if (at >= n) return;
  sums[at] = got;
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  float last = 0;
  Warp w;
  for (int turn = 0; turn < 32; turn++) {
    const int at = blockIdx.x * 1024 + turn * 32 + threadIdx.x;
    const float got = w.run(or_zero(numbers, at, n)) + last;
    last = __shfl_sync(FULL, got, 31);
    if (at < n) sums[at] = got;
  }
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long*) {
  __shared__ float box[32], last;
  if (!threadIdx.x) last = 0.f;
  int at = threadIdx.x;
  int rounds = (n + 1023) >> 10;
  while (rounds-- > 0) {
    float got = all_of_block(or_zero(numbers, at, n), box);
    got += last;
    __syncthreads();
    if (threadIdx.x + 1 == 1024) last = got;
    if (at < n) sums[at] = got;
    __syncthreads();
    at += 1024;
  }
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long*) {
  int used = 0, at = threadIdx.x;
  const unsigned lower = ~(~0u << threadIdx.x);
  while (at - (int)threadIdx.x < n) {
    float v = -1.f;
    if (at < n) v = numbers[at];
    const bool good = v > 0.f;
    const unsigned votes = __ballot_sync(FULL, good);
    const int my = used + __popc(lower & votes);
    used += __popc(votes);
    if (good) kept[my] = v;
    at += 32;
  }
  if (!threadIdx.x) count[0] = used;
}
