//: block 64
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (in[threadIdx.x] < 32) cooperative_groups::this_thread_block().sync();  //! WG131
  out[threadIdx.x] = row[threadIdx.x];
}
