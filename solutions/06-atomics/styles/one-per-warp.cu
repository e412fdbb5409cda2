// A histogram for each warp, and a grid-stride loop over words. Loses: contention, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(sum_by_key, 64, 64)
LAUNCH_SHAPE_1D_OF(histogram, 256, 1)
LAUNCH_BLOCKS_OF(histogram, 6)

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
  __shared__ unsigned bins[8][256];
  unsigned* mine = bins[threadIdx.x / 32];
  for (int i = threadIdx.x % 32; i < 256; i += 32) mine[i] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[bytes[i]], 1);
  __syncthreads();
  unsigned total = 0;
  for (int w = 0; w < 8; w++) total += bins[w][threadIdx.x];
  if (total) atomicAdd(&counts[threadIdx.x], total);
}
