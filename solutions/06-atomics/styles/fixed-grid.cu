// A grid of one block for each SM of an H200, whatever the size: each block loops over what is left.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(sum_by_key, 128, 128)
LAUNCH_SHAPE_1D_OF(histogram, 1024, 1)
LAUNCH_BLOCKS_OF(histogram, 132)
__device__ float add(float* p, float v) {
  unsigned* u = (unsigned*)p; unsigned o = *u, e;
  do { e = o; o = atomicCAS(u, e, __float_as_uint(__uint_as_float(e) + v)); } while (o != e);
  return __uint_as_float(o);
}
extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add(sums + keys[i], weights[i]);
}
extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned h[256 * 32];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) h[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x & 31;
  const int stride = gridDim.x * blockDim.x;
  const uint4* v = (const uint4*)bytes;
  auto word = [&](unsigned w) {
#pragma unroll
    for (int k = 0; k < 32; k += 8) atomicAdd(&h[((w >> k) & 255) * 32 + lane], 1);
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += stride) {
    uint4 q = v[i]; word(q.x); word(q.y); word(q.z); word(q.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 16) atomicAdd(&h[bytes[n / 16 * 16 + threadIdx.x] * 32 + lane], 1);
  __syncthreads();
  if (threadIdx.x < 256) {
    unsigned s = 0;
    for (int k = 0; k < 32; k++) s += h[threadIdx.x * 32 + ((k + threadIdx.x) & 31)];
    if (s) atomicAdd(counts + threadIdx.x, s);
  }
}
