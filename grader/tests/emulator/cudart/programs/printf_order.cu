//= before
//= block 0
//= block 1
//= block 2
//= after
// Output of kernels stands between what the host prints before and after, in block order.
#include "check.hpp"

__global__ void hello() { printf("block %d\n", blockIdx.x); }

int main() {
  std::printf("before\n");
  hello<<<3, 1>>>();
  OK(cudaDeviceSynchronize());
  std::printf("after\n");
}
