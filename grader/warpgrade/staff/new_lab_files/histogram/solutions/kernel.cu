// {@ title @}
//
// Problem   n marks from 0 to 15: add to each of 16 counts how often its mark occurs.
// Approach  A block counts its marks in shared memory, where an atomic operation is quick, and adds its counts to
//           the global ones at the end.
// Cost      1 byte a mark, and 16 global atomic operations for each block, which one warp does by one instruction.
#include "launch_shape.cuh"

//> launch-shape
constexpr int THREADS = 256;
constexpr int ELEMENTS = 4 * THREADS;
constexpr int MARKS = 16;
LAUNCH_SHAPE_1D(THREADS, ELEMENTS)  // threads of a block, and how many marks it counts
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const unsigned char* marks, unsigned* counts, int n) {
  //< signature
  //> solution
  __shared__ unsigned own[MARKS];
  for (int mark = threadIdx.x; mark < MARKS; mark += THREADS) own[mark] = 0;
  __syncthreads();  // all counts are 0
  for (int k = threadIdx.x; k < ELEMENTS; k += THREADS) {
    const int i = blockIdx.x * ELEMENTS + k;
    if (i < n) atomicAdd(&own[marks[i]], 1u);
  }
  __syncthreads();  // everybody has counted
  for (int mark = threadIdx.x; mark < MARKS; mark += THREADS) atomicAdd(&counts[mark], own[mark]);
  //< solution
  /*> stub
  // TODO(1): give the block counts of its own in shared memory, and set them to 0.

  // TODO(2): count this thread's marks. Which are they, and do they exist?

  // TODO(3): when all have counted, add the block's counts to the global ones.
  <*/
}
