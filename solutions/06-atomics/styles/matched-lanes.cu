// Lanes with the same byte elect one of them, who adds their number. Loses: contention, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(sum_by_key, 256, 256)
LAUNCH_SHAPE_1D_OF(histogram, 256, 8192)

__device__ float add(float* place, float value) {
  unsigned* word = reinterpret_cast<unsigned*>(place);
  unsigned old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_uint(value + __uint_as_float(assumed)));
  } while (assumed != old);
  return __uint_as_float(old);
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add(sums + keys[i], weights[i]);
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int end = min(n, (int)(blockIdx.x + 1) * 8192);
  for (int base = blockIdx.x * 8192; base < end; base += 256) {
    const int i = base + threadIdx.x;
    const unsigned active = __ballot_sync(~0u, i < end);
    if (i < end) {
      const unsigned char b = bytes[i];
      const unsigned same = __match_any_sync(active, b);
      if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&bins[b], __popc(same));
    }
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
