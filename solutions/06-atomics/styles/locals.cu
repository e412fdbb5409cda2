// Each thread's own bytes, collected in runs of equal ones. Loses: contention, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(sum_by_key, 512, 512)
LAUNCH_SHAPE_1D_OF(histogram, 256, 256 * 33)

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
  __shared__ int bins[257];
  for (int i = threadIdx.x; i < 257; i += 256) bins[i] = 0;
  __syncthreads();
  int run = 0, value = 256;
  for (int k = 0; k < 33; ++k) {
    const int i = blockIdx.x * 256 * 33 + k * 256 + threadIdx.x;
    if (i >= n) break;
    if (bytes[i] != value) {
      if (run) atomicAdd(&bins[value], run);
      value = bytes[i];
      run = 0;
    }
    ++run;
  }
  if (run) atomicAdd(&bins[value], run);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], (unsigned)bins[threadIdx.x]);
}
