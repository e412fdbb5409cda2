//: block 64
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  const auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x < 32) {
    row[threadIdx.x] = in[threadIdx.x];
    block.sync();
  } else {
    row[threadIdx.x] = 2 * in[threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = row[63 - threadIdx.x];
}
