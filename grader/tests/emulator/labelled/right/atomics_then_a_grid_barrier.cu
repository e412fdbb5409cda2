//: grid 4 block 64 cooperative
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicAdd(&zero[threadIdx.x % 16], in[threadIdx.x]);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = zero[threadIdx.x];
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x < 16) zero[threadIdx.x] = 0;
}
