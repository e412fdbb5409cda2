// {@ title @}
//
// Problem   d[i] = x[i + 1] − x[i] for n elements, any n from 1 up. Behind the last element comes the first.
// Approach  One thread computes one element. The last block may have threads too many, which do nothing.
// Cost      8 bytes an element: x is read, d is written. The neighbour comes from a cache, as its thread has read it.
#include "launch_shape.cuh"

//> launch-shape
constexpr int THREADS = 256;
LAUNCH_SHAPE_1D(THREADS, THREADS)  // threads of a block, and how many elements it computes
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const float* x, float* d, int n) {
  //< signature
  //> solution
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const int next = i + 1 < n ? i + 1 : 0;
  d[i] = x[next] - x[i];
  //< solution
  /*> stub
  // TODO(1): which element is this thread's? Does it exist?

  // TODO(2): d[i] is the next element less this one. Which is next to the last?
  <*/
}
