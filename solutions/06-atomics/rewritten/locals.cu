// A copy of the style of this name: a function for the run's end, the guard in the loop's condition.
#include "launch_shape.cuh"
#define CREW 256
#define TURNS 33
LAUNCH_SHAPE_1D_OF(sum_by_key, 512, 512)
LAUNCH_SHAPE_1D_OF(histogram, CREW, CREW* TURNS)

__device__ float add(float* place, float value) {
  unsigned* bits = (unsigned*)place;
  unsigned expected, seen = *bits;
  while (true) {
    expected = seen;
    const float sum = __uint_as_float(expected) + value;
    seen = atomicCAS(bits, expected, __float_as_uint(sum));
    if (seen == expected) break;
  }
  return __uint_as_float(seen);
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  if (me >= n) return;
  const unsigned char key = keys[me];
  add(&sums[key], weights[me]);
}

__device__ void flush(int* table, int which, int& length) {
  if (length != 0) atomicAdd(table + which, length);
  length = 0;
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ int table[CREW + 1];
  int clear = threadIdx.x;
  while (clear < CREW + 1) {
    table[clear] = 0;
    clear += CREW;
  }
  __syncthreads();
  int current = 256;
  int length = 0;
  int at = blockIdx.x * CREW * TURNS + threadIdx.x;
  for (int turn = 0; turn < TURNS && at < n; turn++, at += CREW) {
    const int byte = bytes[at];
    if (byte != current) {
      flush(table, current, length);
      current = byte;
    }
    length += 1;
  }
  flush(table, current, length);
  __syncthreads();
  const unsigned mine = table[threadIdx.x];
  atomicAdd(counts + threadIdx.x, mine);
}
