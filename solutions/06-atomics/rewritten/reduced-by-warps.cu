// A copy of the style of this name: a word taken apart for four bytes, other loops, a function that counts.
#include "launch_shape.cuh"
#define NBINS 256
#define CHUNK 32768
LAUNCH_SHAPE_1D_OF(sum_by_key, 128, 128)
LAUNCH_SHAPE_1D_OF(histogram, 512, CHUNK)

__device__ float add(float* p, float v) {
  unsigned* bits = (unsigned*)p;
  unsigned seen = bits[0];
  while (true) {
    float next = __uint_as_float(seen) + v;
    unsigned got = atomicCAS(bits, seen, __float_as_uint(next));
    if (got == seen) break;
    seen = got;
  }
  return __uint_as_float(seen);
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  int id = threadIdx.x + 128 * blockIdx.x;
  if (id >= n) return;
  unsigned char key = keys[id];
  add(&sums[key], weights[id]);
}

__device__ void count(unsigned* h, unsigned value) { atomicAdd(h + (value << 5), 1u); }

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned table[NBINS][32];
  int l = threadIdx.x & 31;
  int w = threadIdx.x >> 5;
  for (int row = w; row < NBINS; row += 16) table[row][l] = 0u;
  __syncthreads();
  int offset = blockIdx.x * CHUNK;
  int size = n - offset;
  if (size > CHUNK) size = CHUNK;
  unsigned* h = &table[0][l];
  int p = threadIdx.x << 2;
  while (p < size) {
    if (size - p >= 4) {
      unsigned word = *(const unsigned*)(bytes + offset + p);
      count(h, word & 255u);
      count(h, (word >> 8) & 255u);
      count(h, (word >> 16) & 255u);
      count(h, word >> 24);
    } else {
      while (p < size) {
        count(h, bytes[offset + p]);
        p++;
      }
      break;
    }
    p += 2048;
  }
  __syncthreads();
  // 16 warps, 8 rounds... each warp does 32 bins at once
  for (int g = w; g < 8; g += 16) {
    unsigned keep = 0;
    int b = 31;
    do {
      unsigned total = __reduce_add_sync(0xffffffffu, table[g * 32 + b][l]);
      keep = l == b ? total : keep;
      b--;
    } while (b >= 0);
    atomicAdd(counts + g * 32 + l, keep);
  }
}
