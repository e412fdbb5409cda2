//: grid 4 block 64 cooperative
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  grid.sync();
  const int next = out[(i + 64) % 256];
  out[i] += next;  //! WG114
}
