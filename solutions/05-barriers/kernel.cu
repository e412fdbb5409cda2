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

//> launch-shape
constexpr int THREADS = 256;
// A block computes one sum.
LAUNCH_SHAPE_1D_OF(tree_sums, THREADS, 1)
LAUNCH_SHAPE_1D_OF(shuffle_sums, THREADS, 1)

constexpr int BLOCKS = 528;  // 4 for each of 132 SMs
LAUNCH_SHAPE_1D_OF(sum_all, THREADS, THREADS)
LAUNCH_BLOCKS_OF(sum_all, BLOCKS)
//< launch-shape

//> solution
// The sum of those numbers of this block's segment that this thread has to add: every THREADS-th of them.
__device__ float sum_of_own(const float* numbers, int n) {
  const int first = blockIdx.x * SEGMENT;
  const int last = min(first + SEGMENT, n);
  float sum = 0;
  for (int i = first + threadIdx.x; i < last; i += THREADS) sum += numbers[i];
  return sum;
}
//< solution

//> tree-signature
extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  //< tree-signature
  //> solution
  __shared__ float tree[THREADS];
  tree[threadIdx.x] = sum_of_own(numbers, n);

  //> tree
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();  // the sums of the step before are there
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
  }
  //< tree
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
  //< solution
  /*> stub
  // TODO(1): let each thread add every THREADS-th number of the block's segment, and put its sum into shared
  // memory. The segment begins at blockIdx.x * SEGMENT. Does it have SEGMENT numbers?

  // TODO(2): add these THREADS sums by a tree: half of the threads add the other half's sums to theirs, then
  // half of those, and so on. Which threads should continue, and who has to wait for whom?
  <*/
}

//> solution
// The sum of the lanes' values, for lane 0.
__device__ float sum_of_warp(float value) {
  //> shuffle
  for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(0xffffffffu, value, half);
  //< shuffle
  return value;
}

// The sum of the threads' values, for thread 0. Between two calls there has to be a barrier.
__device__ float sum_of_block(float value) {
  __shared__ float of_warp[THREADS / 32];
  value = sum_of_warp(value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();  // the sums of all warps are there
  if (threadIdx.x < 32) value = sum_of_warp(threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : 0.0f);
  return value;
}
//< solution

//> shuffle-signature
extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  //< shuffle-signature
  //> solution
  const float sum = sum_of_block(sum_of_own(numbers, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  //< solution
  /*> stub
  // TODO(3): the same sums, but the lanes of a warp add by shuffles. What has to go through shared memory, and
  // how many barriers does it take?
  <*/
}

//> solution
__device__ float sum_of_block_number[BLOCKS];
__device__ unsigned tickets;  // that have been drawn; 0 before each launch
//< solution

//> sum-signature
extern "C" __global__ void sum_all(const float* numbers, float* sum, int n) {
  //< sum-signature
  //> solution
  //> grid-stride
  const int thread = blockIdx.x * THREADS + threadIdx.x;
  const float4* const groups = reinterpret_cast<const float4*>(numbers);
  float mine = 0;
#pragma unroll 4
  for (int group = thread; group < n / 4; group += BLOCKS * THREADS) {
    const float4 four = groups[group];
    mine += (four.x + four.y) + (four.z + four.w);
  }
  if (thread < n % 4) mine += numbers[n / 4 * 4 + thread];
  //< grid-stride
  mine = sum_of_block(mine);

  //> ticket
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sum_of_block_number[blockIdx.x] = mine;
    __threadfence();                                            // who sees this ticket sees the sum, too
    is_last = atomicInc(&tickets, BLOCKS - 1) == BLOCKS - 1;    // the last ticket sets the number to 0 again
    __threadfence();                                            // what others wrote before theirs is seen
  }
  __syncthreads();
  if (!is_last) return;
  //< ticket

  float all = 0;
  for (int block = threadIdx.x; block < BLOCKS; block += THREADS) all += sum_of_block_number[block];
  all = sum_of_block(all);
  if (threadIdx.x == 0) *sum = all;
  //< solution
  /*> stub
  // TODO(4): let each thread add its share of all n numbers: BLOCKS * THREADS threads, four numbers at a time.
  // Add the threads' sums as in part 2.

  // TODO(5): leave the block's sum in a __device__ array and draw a ticket by atomicInc. Whoever draws the last
  // one adds the sums of all blocks. What must be fenced, and what must the ticket be when the next launch begins?
  <*/
}
