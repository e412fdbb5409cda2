// styles/brent-kung.cu rewritten from scratch, as a copyist would.
#include <cuda/atomic>
#include "launch_shape.cuh"
#define NT 512
#define NE (2 * NT)
LAUNCH_SHAPE_1D_OF(kogge_stone, NT, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, NT, 1)
LAUNCH_SHAPE_1D_OF(scan_all, NT, NE)
LAUNCH_SHAPE_1D_OF(compact_positive, NT, NE)

typedef unsigned long long u64;

template <typename E>
__device__ void sweep(E* buf, int me) {
  int span = 1;
  do {
    __syncthreads();
    int pos = me * 2 * span + 2 * span - 1;
    if (pos <= NE - 1) buf[pos] = buf[pos] + buf[pos - span];
    span <<= 1;
  } while (span < NE);
  span = NE / 4;
  while (span) {
    __syncthreads();
    int pos = me * 2 * span + 2 * span - 1 + span;
    if (pos <= NE - 1) buf[pos] = buf[pos] + buf[pos - span];
    span >>= 1;
  }
  __syncthreads();
}

__device__ void fetch(float* buf, const float* src, int base, int n, int me) {
  buf[me] = base + me < n ? src[base + me] : 0.f;
  buf[me + NT] = base + me + NT < n ? src[base + me + NT] : 0.f;
}

__device__ void spill(float* dst, const float* buf, int base, int n, int me, float plus) {
  const int one = base + me, two = one + NT;
  if (one < n) dst[one] = plus + buf[me];
  if (two < n) dst[two] = plus + buf[me + NT];
}

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  __shared__ float buf[NE];
  const int me = threadIdx.x, base = NE * blockIdx.x;
  fetch(buf, numbers, base, n, me);
  __syncthreads();
  for (int hop = 0; hop < 10; hop++) {
    const int d = 1 << hop;
    float low = 0, high = 0;
    if (me >= d) low = buf[me - d];
    if (me + NT - d >= 0) high = buf[me + NT - d];
    __syncthreads();
    buf[me + NT] += high;
    buf[me] += low;
    __syncthreads();
  }
  const int one = base + me, two = one + NT;
  if (one < n) sums[one] = buf[me];
  if (two < n) sums[two] = buf[me + NT];
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  __shared__ float buf[NE];
  const int me = threadIdx.x, base = NE * blockIdx.x;
  fetch(buf, numbers, base, n, me);
  sweep<float>(buf, me);
  const int one = base + me, two = one + NT;
  if (one < n) sums[one] = buf[me];
  if (two < n) sums[two] = buf[me + NT];
}

__device__ int draw(u64* words, int* box) {
  if (threadIdx.x == 0) {
    cuda::atomic_ref<u64, cuda::thread_scope_device> w(*words);
    *box = (int)w.fetch_add(1ull, cuda::std::memory_order_relaxed);
  }
  __syncthreads();
  return *box;
}

__device__ unsigned wait_for(u64* w) {
  cuda::atomic_ref<u64, cuda::thread_scope_device> r(*w);
  u64 got;
  do {
    got = r.load(cuda::std::memory_order_acquire);
  } while (!got);
  return (unsigned)got;
}

__device__ void hand_on(u64* w, unsigned low) {
  cuda::atomic_ref<u64, cuda::thread_scope_device> r(*w);
  r.store((1ull << 32) + low, cuda::std::memory_order_release);
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  __shared__ float buf[NE];
  __shared__ float earlier;
  __shared__ int box;
  const int which = draw(words, &box), me = threadIdx.x, base = NE * which;
  fetch(buf, numbers, base, n, me);
  sweep<float>(buf, me);
  if (me == 0) {
    unsigned got = 0;
    if (which != 0) got = wait_for(words + which);
    earlier = __uint_as_float(got);
    hand_on(words + which + 1, __float_as_uint(earlier + buf[NE - 1]));
  }
  __syncthreads();
  spill(sums, buf, base, n, me, earlier);
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  __shared__ int buf[NE];
  __shared__ int earlier, box;
  const int which = draw(words, &box), me = threadIdx.x, base = NE * which;
  bool yes[2];
  float val[2];
  for (int h = 0; h < 2; h++) {
    const int i = base + me + h * NT;
    val[h] = i < n ? numbers[i] : -1.f;
    yes[h] = val[h] > 0;
    buf[me + h * NT] = yes[h] ? 1 : 0;
  }
  sweep<int>(buf, me);
  if (!me) {
    earlier = which ? (int)wait_for(&words[which]) : 0;
    hand_on(&words[1 + which], earlier + buf[NE - 1]);
  }
  __syncthreads();
  for (int h = 1; h >= 0; h--)
    if (yes[h]) kept[earlier - 1 + buf[me + h * NT]] = val[h];
  if (base + NE >= n && !me) count[0] = buf[NE - 1] + earlier;
}
