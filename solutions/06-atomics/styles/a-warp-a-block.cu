// Blocks of one warp with a histogram for each lane; the additions of floats by a grid-stride loop. Loses: performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(sum_by_key, 96, 96)
LAUNCH_BLOCKS_OF(sum_by_key, 3)
LAUNCH_SHAPE_1D_OF(histogram, 32, 20000)

__device__ void add(float* place, float value) {
  int* bits = (int*)place;
  for (int seen = atomicCAS(bits, 0, 0), found; (found = atomicCAS(bits, seen, __float_as_int(__int_as_float(seen) + value))) != seen; seen = found);
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) add(&sums[keys[i]], weights[i]);
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned bins[256 * 32];
  for (int b = 0; b < 256; ++b) bins[b * 32 + threadIdx.x] = 0;
  const int last = min(n, (int)(blockIdx.x * 20000 + 20000));
  for (int i = blockIdx.x * 20000 + threadIdx.x; i < last; i += 32) atomicAdd_block(&bins[bytes[i] * 32 + threadIdx.x], 1u);
  __syncwarp();
  for (int b = threadIdx.x; b < 256; b += 32) {
    unsigned sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += bins[b * 32 + (lane + threadIdx.x) % 32];
    if (sum != 0) atomicAdd(&counts[b], sum);
  }
}
