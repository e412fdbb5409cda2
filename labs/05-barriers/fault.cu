// Lab 05-barriers: this file is yours. Fill in the TODOs, then type: ./warpgrade check 05-barriers
// (Course staff: made by `make skeletons` from solutions/05-barriers/fault.cu; edit that one.)

// A block's sum that sometimes never comes
//
// Problem   sums[s] is the sum of segment s of n floats, which has SEGMENT numbers, in the last segment perhaps
//           fewer. One line of this kernel, as you get it, is at fault. Name it in fault.toml, then repair it.
// Approach  A tree in shared memory. Each thread brings its numbers; then, step by step, half of the threads that
//           still add take over the sums of the other half.
// Cost      Each number is read once. A tree for THREADS sums takes log2(THREADS) steps.
#include "launch_shape.cuh"

constexpr int SEGMENT = 1024;  // numbers of one sum
constexpr int THREADS = 128;
LAUNCH_SHAPE_1D_OF(tree_sums, THREADS, 1)

// The sum of every THREADS-th number of the block's segment, from this thread's first one on.
__device__ float sum_of_own(const float* numbers, int n) {
  const int last = min(static_cast<int>(blockIdx.x + 1) * SEGMENT, n);
  float sum = 0.0f;
  for (int i = blockIdx.x * SEGMENT + threadIdx.x; i < last; i += THREADS) sum += numbers[i];
  return sum;
}

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  __shared__ float tree[THREADS];
  tree[threadIdx.x] = sum_of_own(numbers, n);
  __syncthreads();

  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] += tree[threadIdx.x + half];
      __syncthreads();
    }
  }

  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
