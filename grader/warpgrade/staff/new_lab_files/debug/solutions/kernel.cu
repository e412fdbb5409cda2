// {@ title @}
//
// Problem   y[i] = x[i − 1] + x[i] + x[i + 1] for n numbers, with zeros outside. This kernel, as students get it, has a
//           fault.
// Approach  A block puts its numbers and the two beside them into shared memory; each thread adds three of them.
// Cost      8 bytes an element: each number is read once, but for the two beside a block.
#include "launch_shape.cuh"

//> launch-shape
constexpr int THREADS = 256;
LAUNCH_SHAPE_1D(THREADS, THREADS)  // threads of a block, and how many elements it computes
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const int* x, int* y, int n) {
  //< signature
  // TODO(1): check this file as it is, and name the fault in fault.toml.
  //> tile
  __shared__ int tile[THREADS + 2];  // tile[t + 1] is the number of thread t
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) tile[threadIdx.x + 1] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == THREADS - 1 || i == n - 1) tile[threadIdx.x + 2] = i + 1 < n ? x[i + 1] : 0;
  //< tile
  // TODO(2): repair it.
  //> solution
  __syncthreads();
  //< solution
  if (i < n) y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}
