//: block 64
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  namespace cg = cooperative_groups;
  __shared__ int box[64];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  box[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  int sum = box[threadIdx.x / 8 * 8 + (threadIdx.x + 3) % 8];
  for (int step = 4; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) out[threadIdx.x / 8] = sum;
}
