// A warp merges the copies of a bin: each lane reads one, and the warp reduces them. Loses: performance.
#include "launch_shape.cuh"

LAUNCH_SHAPE_1D_OF(sum_by_key, 128, 128)
LAUNCH_SHAPE_1D_OF(histogram, 512, 32768)

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
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add(sums + keys[i], weights[i]);
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned bins[256 * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int i = threadIdx.x; i < 256 * 32; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  const unsigned char* from = bytes + blockIdx.x * 32768;
  const int left = min(32768, n - (int)blockIdx.x * 32768);
  for (int at = 4 * threadIdx.x; at < left; at += 4 * blockDim.x) {
    if (at + 4 <= left) {
      const uchar4 four = *reinterpret_cast<const uchar4*>(from + at);
      atomicAdd(&bins[four.x * 32 + lane], 1u);
      atomicAdd(&bins[four.y * 32 + lane], 1u);
      atomicAdd(&bins[four.z * 32 + lane], 1u);
      atomicAdd(&bins[four.w * 32 + lane], 1u);
    } else {
      for (int i = at; i < left; ++i) atomicAdd(&bins[from[i] * 32 + lane], 1u);
    }
  }
  __syncthreads();
  for (int first = 32 * warp; first < 256; first += 32 * warps) {
    unsigned mine = 0;
    for (int bin = 0; bin < 32; ++bin) {
      const unsigned all = __reduce_add_sync(~0u, bins[(first + bin) * 32 + lane]);
      if (lane == bin) mine = all;
    }
    atomicAdd(&counts[first + lane], mine);
  }
}
