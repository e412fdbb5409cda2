// Sixteen copies in dynamic shared memory, words of four bytes, and long indices. Loses: performance.
#include "launch_shape.cuh"
constexpr int copies = 16;
LAUNCH_SHAPE_1D_OF(sum_by_key, 32, 32)
LAUNCH_SHAPE_1D_OF(histogram, 1024, 32768)
LAUNCH_SHARED_BYTES_OF(histogram, 256 * copies * 4)

template <class T>
__device__ T add(T* place, T value) {
  static_assert(sizeof(T) == 4);
  union Word {
    T value;
    int bits;
  };
  Word before;
  before.value = *place;
  while (true) {
    Word after;
    after.value = before.value + value;
    const int found = atomicCAS((int*)place, before.bits, after.bits);
    if (found == before.bits) return before.value;
    before.bits = found;
  }
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add(sums + keys[i], weights[i]);
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  extern __shared__ unsigned table[];
  auto count = [&](unsigned b) { atomicAdd(table + b % 256 * copies + threadIdx.x % copies, 1u); };
  for (int i = threadIdx.x; i < 256 * copies; i += blockDim.x) table[i] = 0;
  __syncthreads();
  const long long begin = blockIdx.x * 32768ll, end = min(begin + 32768, (long long)n);
  const long long words_end = end / 4 * 4;
  for (long long i = begin + threadIdx.x * 4; i < words_end; i += blockDim.x * 4) {
    const uchar4 four = *reinterpret_cast<const uchar4*>(bytes + i);
    count(four.x), count(four.y), count(four.z), count(four.w);
  }
  for (long long i = words_end + threadIdx.x; i < end; i += blockDim.x) count(bytes[i]);
  __syncthreads();
  if (threadIdx.x < 256) {
    unsigned sum = 0;
    for (int c = 0; c < copies; ++c) sum += table[threadIdx.x * copies + (c + threadIdx.x / 2) % copies];
    atomicAdd(counts + threadIdx.x, sum);
  }
}
