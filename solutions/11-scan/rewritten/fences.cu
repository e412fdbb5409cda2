// A copy of the style of this name: sums in single variables, functions for ticket, wait and announcement, kernels in another order.
#include "launch_shape.cuh"
#define LEN 1024
#define MASK 0xffffffffu
LAUNCH_SHAPE_1D_OF(kogge_stone, LEN, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, 128, 1)
LAUNCH_SHAPE_1D_OF(scan_all, 512, 2048)
LAUNCH_SHAPE_1D_OF(compact_positive, 512, 512)

// ---------- helpers ----------
struct Entry {
  unsigned value;
  unsigned state;
};

__device__ float read(const float* p, int at, int n) {
  if (at >= n) return 0.0f;
  return p[at];
}

template <typename Number>
__device__ Number prefix(Number mine, Number* tmp) {
  int me = threadIdx.x;
  tmp[me] = mine;
  int gap = 1;
  while (gap < 512) {
    __syncthreads();
    Number left = 0;
    if (me >= gap) left = tmp[me - gap];
    __syncthreads();
    tmp[me] = left + tmp[me];
    gap = gap + gap;
  }
  __syncthreads();
  return tmp[me];
}

__device__ unsigned draw(unsigned long long* words) {
  __shared__ unsigned number;
  if (threadIdx.x == 0) {
    unsigned* counter = (unsigned*)words;
    number = atomicAdd(counter, 1u);
  }
  __syncthreads();
  return number;
}

__device__ void announce(volatile Entry* e, unsigned v, unsigned s) {
  (*e).value = v;
  __threadfence();
  (*e).state = s;
}

__device__ unsigned await(volatile Entry* e) {
  do {
  } while (e->state == 0);
  __threadfence();
  return e->value;
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ int tmp[512];
  __shared__ int base;
  volatile Entry* entries = (volatile Entry*)&words[1];
  unsigned b = draw(words);
  int where = 512 * b + threadIdx.x;
  float x = read(numbers, where, n);
  int flag = x > 0.0f ? 1 : 0;
  int rank = prefix<int>(flag, tmp);
  if (threadIdx.x == 511) {
    int start = b == 0 ? 0 : (int)await(&entries[b - 1]);
    announce(&entries[b], start + rank, 2);
    base = start;
    if (b + 1 == gridDim.x) count[0] = start + rank;
  }
  __syncthreads();
  if (flag == 1) kept[base + rank - 1] = x;
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float tmp[512];
  __shared__ float base;
  volatile Entry* entries = (volatile Entry*)&words[1];
  unsigned b = draw(words);
  int where = 2048 * b + 4 * threadIdx.x;
  float p0 = read(numbers, where, n);
  float p1 = p0 + read(numbers, where + 1, n);
  float p2 = p1 + read(numbers, where + 2, n);
  float p3 = p2 + read(numbers, where + 3, n);
  float incl = prefix<float>(p3, tmp);
  if (threadIdx.x == 511) {
    announce(&entries[b], __float_as_uint(incl), 1);
    float start = 0.0f;
    int other = b;
    while (other > 0) {
      other--;
      start += __uint_as_float(await(&entries[other]));
    }
    base = start;
  }
  __syncthreads();
  float offset = base + (incl - p3);
  if (where < n) sums[where] = offset + p0;
  if (where + 1 < n) sums[where + 1] = offset + p1;
  if (where + 2 < n) sums[where + 2] = offset + p2;
  if (where + 3 < n) sums[where + 3] = offset + p3;
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float part[4];
  int l = threadIdx.x % 32;
  int w = threadIdx.x / 32;
  int where = LEN * blockIdx.x + 8 * threadIdx.x;
  float p[8];
  p[0] = read(numbers, where, n);
#pragma unroll
  for (int q = 1; q < 8; q++) p[q] = p[q - 1] + read(numbers, where + q, n);
  float scan = p[7];
#pragma unroll
  for (int s = 0; s < 5; s++) {
    float got = __shfl_up_sync(MASK, scan, 1 << s);
    scan = l < (1 << s) ? scan : scan + got;
  }
  if (l == 31) part[w] = scan;
  __syncthreads();
  float offset = __shfl_up_sync(MASK, scan, 1);
  offset = l > 0 ? offset : 0.0f;
  while (w > 0) offset += part[--w];
  for (int q = 7; q >= 0; q--)
    if (where + q < n) sums[where + q] = p[q] + offset;
}

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float ping[LEN], pong[LEN];
  float *in = ping, *out = pong;
  int me = threadIdx.x;
  int where = LEN * blockIdx.x + me;
  in[me] = read(numbers, where, n);
  for (int step = 0; step < 10; step++) {
    __syncthreads();
    int left = me - (1 << step);
    float v = in[me];
    if (left >= 0) v += in[left];
    out[me] = v;
    float* swap = in;
    in = out;
    out = swap;
  }
  if (where >= n) return;
  sums[where] = in[me];
}
