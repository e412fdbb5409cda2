// Atomics: an addition made from compare-and-swap, and a histogram that seldom waits
//
// Problem   Part 1: sums[key] += weight for n keys of one byte and n weights. The addition of floats is
//           your own, made from atomicCAS; atomicAdd on a float is not allowed.
//           Part 2: counts[b] += 1 for each of n bytes. Both add to what stands in the array already.
// Approach  An atomic on global memory for each byte makes threads wait for one another, and most of all
//           where many bytes are equal. So each block counts in shared memory. With one histogram a block, lanes
//           of a warp still meet: on one bin, or on one bank. With COPIES histograms, side by side, lane l
//           counts in copy l, which lies in bank l, whatever the bytes are. At the end, the block adds
//           the copies and goes to global memory once for each bin.
// Cost      Each byte is read once, 16 at a time. 256 · 32 · 4 bytes = 32 KB of shared memory a block, one atomic
//           on shared memory for each byte, and 256 on global memory for each block.
#include "launch_shape.cuh"

constexpr int BINS = 256;

//> launch-shape
constexpr int SUM_THREADS = 256;
// One element a thread.
LAUNCH_SHAPE_1D_OF(sum_by_key, SUM_THREADS, SUM_THREADS)

constexpr int THREADS = 512;
constexpr int BYTES = 65536;  // that a block counts
constexpr int COPIES = 32;    // copies of the histogram in shared memory
LAUNCH_SHAPE_1D_OF(histogram, THREADS, BYTES)
//< launch-shape

//> add
// Adds to *place as one step, and returns what stood there right before.
__device__ float add(float* place, float value) {
  //> solution
  int* bits = reinterpret_cast<int*>(place);
  int seen = *bits;
  for (;;) {
    const int wanted = __float_as_int(__int_as_float(seen) + value);
    const int found = atomicCAS(bits, seen, wanted);
    if (found == seen) return __int_as_float(found);  // nobody came between: it is done
    seen = found;                                     // somebody did: try again from there
  }
  //< solution
  /*> stub
  // TODO(1): look at what stands in *place, add, and write the sum by atomicCAS if nothing has changed
  // since. Otherwise try again. atomicCAS takes integers: __float_as_int and __int_as_float keep the bits.
  return 0.0f;
  <*/
}
//< add

//> sum-signature
extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  //< sum-signature
  //> solution
  const int i = blockIdx.x * SUM_THREADS + threadIdx.x;
  if (i < n) add(&sums[keys[i]], weights[i]);
  //< solution
  /*> stub
  // TODO(2): add the weight of this thread's element to the sum of its key.
  <*/
}

//> signature
extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  //< signature
  //> solution
  //> copies
  __shared__ unsigned copies[BINS][COPIES];  // lane l of each warp counts in copies[…][l]
  unsigned* const own = &copies[0][threadIdx.x % COPIES];
  //< copies
  for (int i = threadIdx.x; i < BINS * COPIES; i += THREADS) copies[i / COPIES][i % COPIES] = 0;
  __syncthreads();  // all copies are zero

  //> count
  // Sixteen bytes at a time; the part of the last block that is no multiple of 16 byte by byte.
  const int first = blockIdx.x * BYTES;
  const int count = min(BYTES, n - first);
  const uint4* const groups = reinterpret_cast<const uint4*>(bytes + first);
  for (int group = threadIdx.x; group < count / 16; group += THREADS) {
    const uint4 sixteen = groups[group];
    const unsigned words[4] = {sixteen.x, sixteen.y, sixteen.z, sixteen.w};
#pragma unroll
    for (int byte = 0; byte < 16; ++byte)
      atomicAdd(&own[(words[byte / 4] >> byte % 4 * 8 & 255) * COPIES], 1u);
  }
  const int rest = count / 16 * 16 + threadIdx.x;
  if (rest < count) atomicAdd(&own[bytes[first + rest] * COPIES], 1u);
  //< count
  __syncthreads();  // all bytes are counted

  //> merge
  if (threadIdx.x < BINS) {  // one thread a bin
    const int bin = threadIdx.x;
    unsigned sum = 0;
    for (int i = 0; i < COPIES; ++i) sum += copies[bin][(bin + i) % COPIES];  // neighbours in unlike banks
    atomicAdd(&counts[bin], sum);
  }
  //< merge
  //< solution
  /*> stub
  // TODO(3): count with one atomicAdd on global memory for each byte. A block has BYTES bytes and THREADS threads.
  // It is right, and you can check it. Then make it fast:

  // TODO(4): count in a histogram in shared memory, and add it to `counts` at the end.

  // TODO(5): give the lanes of a warp histograms of their own, so that equal bytes do not make them wait.
  <*/
}
