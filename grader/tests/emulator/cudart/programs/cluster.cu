//+ -gencode arch=compute_90,code=compute_90
//= refused
//! clusters of 2 blocks are not supported
// A kernel that is compiled for clusters of blocks is refused by name: it would not mean the same without.
#include "check.hpp"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CLUSTER(blocks)
#else
#define CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#endif
__global__ void CLUSTER(2) pair() {}
__global__ void CLUSTER(1) alone() {}

int main() {
  alone<<<2, 32>>>();
  OK(cudaGetLastError());
  pair<<<2, 32>>>();
  IS(cudaGetLastError(), cudaErrorNotSupported);
  std::printf("refused\n");
}
