// Cooperative groups copy a whole row of each tile: memcpy_async of a group, wait of a group.
// Fits: multiples of 32.
#include "launch_shape.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
LAUNCH_SHAPE(32, 8, 32, 32)

namespace cg = cooperative_groups;

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[32][32], b[32][32];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int x = warp.thread_rank(), w = warp.meta_group_rank();
  const int row = blockIdx.y * 32, column = blockIdx.x * 32;
  float sum[4] = {};
  for (int from = 0; from < k; from += 32) {
    for (int i = w; i < 32; i += 8) {
      cg::memcpy_async(warp, a[i], &A[(row + i) * k + from], 32 * sizeof(float));
      cg::memcpy_async(warp, b[i], &B[(from + i) * n + column], 32 * sizeof(float));
    }
    cg::wait(warp);
    block.sync();
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 4; ++r) sum[r] += a[w + 8 * r][i] * b[i][x];
    block.sync();
  }
  for (int r = 0; r < 4; ++r) C[(row + w + 8 * r) * n + column + x] = sum[r];
}
