//: block 64
#include <cuda/barrier>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int row[64];
  if (threadIdx.x == 0) init(&all, 64);  //! WG111
  row[threadIdx.x] = in[threadIdx.x];
  all.arrive_and_wait();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
