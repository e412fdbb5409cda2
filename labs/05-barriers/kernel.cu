// Lab 05-barriers: this file is yours. Fill in the TODOs, then type: ./warpgrade check 05-barriers
// (Course staff: made by `make skeletons` from solutions/05-barriers/kernel.cu; edit that one.)

// Reduction: the threads of a block, and then all blocks, make one sum of many numbers
//
// Problem   Parts 1 and 2: sums[s] is the sum of segment s of n floats, which has SEGMENT numbers, in the last
//           segment perhaps fewer. Part 3: *sum is the sum of all n, by one launch of many blocks.
// Approach  Part 1: each step of a tree halves the threads that add. The first ones stay, so that whole warps
//           become idle together, and neighbours add neighbours, which lie in different banks.
//           Part 2: lanes of a warp hand one another their registers, which takes neither shared memory nor
//           barriers. Only one sum of each warp goes through shared memory, past one barrier.
//           Part 3: each block leaves its sum in global memory and draws a ticket. Who draws the last one
//           knows that all sums are there, and adds them, always in the same order.
// Cost      n floats are read once, 4 at a time. A tree takes log2(THREADS) + 1 barriers, the shuffles one. The
//           blocks of part 3 draw one ticket each, whatever n is.
#include "launch_shape.cuh"

constexpr int SEGMENT = 1024;  // numbers of one sum

constexpr int THREADS = 256;
// A block computes one sum.
LAUNCH_SHAPE_1D_OF(tree_sums, THREADS, 1)
LAUNCH_SHAPE_1D_OF(shuffle_sums, THREADS, 1)

constexpr int BLOCKS = 528;  // 4 for each of 132 SMs
LAUNCH_SHAPE_1D_OF(sum_all, THREADS, THREADS)
LAUNCH_BLOCKS_OF(sum_all, BLOCKS)

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  // TODO(1): let each thread add every THREADS-th number of the block's segment, and put its sum into shared
  // memory. The segment begins at blockIdx.x * SEGMENT. Does it have SEGMENT numbers?

  // TODO(2): add these THREADS sums by a tree: half of the threads add the other half's sums to theirs, then
  // half of those, and so on. Which threads should continue, and who has to wait for whom?
}

extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  // TODO(3): the same sums, but the lanes of a warp add by shuffles. What has to go through shared memory, and
  // how many barriers does it take?
}

extern "C" __global__ void sum_all(const float* numbers, float* sum, int n) {
  // TODO(4): let each thread add its share of all n numbers: BLOCKS * THREADS threads, four numbers at a time.
  // Add the threads' sums as in part 2.

  // TODO(5): leave the block's sum in a __device__ array and draw a ticket by atomicInc. Whoever draws the last
  // one adds the sums of all blocks. What must be fenced, and what must the ticket be when the next launch begins?
}
