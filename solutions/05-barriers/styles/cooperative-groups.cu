// Cooperative groups, dynamic shared memory, and a ticket that is drawn with acquire and release. Loses: performance.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include "launch_shape.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE_1D_OF(tree_sums, 64, 1)
LAUNCH_SHARED_BYTES_OF(tree_sums, 64 * sizeof(float))
LAUNCH_SHAPE_1D_OF(shuffle_sums, 192, 1)
LAUNCH_SHAPE_1D_OF(sum_all, 192, 192)
LAUNCH_BLOCKS_OF(sum_all, 100)

__device__ float own(const float* numbers, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < 1024 && blockIdx.x * 1024 + i < n; i += blockDim.x) sum += numbers[blockIdx.x * 1024 + i];
  return sum;
}

extern "C" __global__ void tree_sums(const float* numbers, float* sums, int n) {
  extern __shared__ float tree[];
  const auto block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  tree[t] = own(numbers, n);
  for (unsigned size = block.size() / 2; size; size /= 2) {
    block.sync();
    if (t < size) tree[t] += tree[t + size];
  }
  if (t == 0) sums[block.group_index().x] = *tree;
}

__device__ float of_block(float x) {
  __shared__ float of_warp[6];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  x = cg::reduce(warp, x, cg::plus<float>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = x;
  block.sync();
  x = 0;
  for (float each : of_warp) x += each;
  return x;
}

extern "C" __global__ void shuffle_sums(const float* numbers, float* sums, int n) {
  const float sum = of_block(own(numbers, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__device__ float parts[100];
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> next;

extern "C" __global__ void sum_all(const float* numbers, float* sum, int n) {
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += numbers[i];
  mine = of_block(mine);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = mine;
  if (next.fetch_add(1, cuda::memory_order_acq_rel) < gridDim.x - 1) return;
  double all = 0;
  for (float part : parts) all += part;
  *sum = static_cast<float>(all);
  next.store(0, cuda::memory_order_relaxed);
}
