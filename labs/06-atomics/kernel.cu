// Lab 06-atomics: this file is yours. Fill in the TODOs, then type: ./warpgrade check 06-atomics
// (Course staff: made by `make skeletons` from solutions/06-atomics/kernel.cu; edit that one.)

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

constexpr int SUM_THREADS = 256;
// One element a thread.
LAUNCH_SHAPE_1D_OF(sum_by_key, SUM_THREADS, SUM_THREADS)

constexpr int THREADS = 512;
constexpr int BYTES = 65536;  // that a block counts
constexpr int COPIES = 32;    // copies of the histogram in shared memory
LAUNCH_SHAPE_1D_OF(histogram, THREADS, BYTES)

// Adds to *place as one step, and returns what stood there right before.
__device__ float add(float* place, float value) {
  // TODO(1): look at what stands in *place, add, and write the sum by atomicCAS if nothing has changed
  // since. Otherwise try again. atomicCAS takes integers: __float_as_int and __int_as_float keep the bits.
  return 0.0f;
}

extern "C" __global__ void sum_by_key(const unsigned char* keys, const float* weights, float* sums, int n) {
  // TODO(2): add the weight of this thread's element to the sum of its key.
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  // TODO(3): count with one atomicAdd on global memory for each byte. A block has BYTES bytes and THREADS threads.
  // It is right, and you can check it. Then make it fast:

  // TODO(4): count in a histogram in shared memory, and add it to `counts` at the end.

  // TODO(5): give the lanes of a warp histograms of their own, so that equal bytes do not make them wait.
}
