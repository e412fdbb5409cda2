// {@ title @}
//
// Problem   Add n numbers to a total of 64 bits, whatever stands in it already.
// Approach  Each thread adds a few numbers, then the block adds the threads' sums as a tree in shared memory: 128
//           threads, then 64, and so on. One thread adds the block's sum to the total.
// Cost      4 bytes a number, and one atomic operation for each 1,024 numbers.
#include "launch_shape.cuh"

//> launch-shape
constexpr int THREADS = 256;
constexpr int ELEMENTS = 4 * THREADS;
LAUNCH_SHAPE_1D(THREADS, ELEMENTS)  // threads of a block, and how many elements it adds
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const unsigned* x, unsigned long long* total, int n) {
  //< signature
  //> solution
  __shared__ unsigned long long sums[THREADS];
  unsigned long long sum = 0;
  for (int k = threadIdx.x; k < ELEMENTS; k += THREADS) {
    const int i = blockIdx.x * ELEMENTS + k;
    if (i < n) sum += x[i];
  }
  sums[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(total, sums[0]);
  //< solution
  /*> stub
  // TODO(1): add up this thread's numbers. Which are they, and do they exist?

  // TODO(2): put the sum into shared memory, and let the block add all sums as a tree.

  // TODO(3): add the block's sum to the total.
  <*/
}
