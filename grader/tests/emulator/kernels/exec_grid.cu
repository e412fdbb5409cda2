// Cooperative groups: the whole grid waits, tiles of a warp work together.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int cell[4096];

// Every thread gets the sum over the grid; grid sizes are powers of two.
extern "C" __global__ void grid_sum(int* out, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  cell[t] = t + n;
  for (int d = 1; d < all; d *= 2) {
    grid.sync();
    const int v = cell[t] + cell[(t + d) % all];
    grid.sync();
    cell[t] = v;
  }
  out[t] = cell[t];
}

extern "C" __global__ void tile_sum(int* out, int n) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = threadIdx.x * n;
  for (int d = 4; d > 0; d /= 2) v += tile.shfl_down(v, d);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile.shfl(v, 0);
}
