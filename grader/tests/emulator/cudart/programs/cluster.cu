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
  int clusters = 0, size = 0, blocks = 0, processors = 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = 32;
  OK(cudaOccupancyMaxActiveClusters(&clusters, alone, &config));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, alone, 32, 0));
  OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(blocks > 0 && clusters == blocks * processors);
  OK(cudaOccupancyMaxPotentialClusterSize(&size, alone, &config));
  CHECK(size == 1);
  cudaLaunchAttribute two;
  two.id = cudaLaunchAttributeClusterDimension;
  two.val.clusterDim.x = 2;
  two.val.clusterDim.y = two.val.clusterDim.z = 1;
  config.attrs = &two;
  config.numAttrs = 1;
  IS(cudaOccupancyMaxActiveClusters(&clusters, alone, &config), cudaErrorNotSupported);
  IS(cudaGetLastError(), cudaErrorNotSupported);
  pair<<<2, 32>>>();
  IS(cudaGetLastError(), cudaErrorNotSupported);
  std::printf("refused\n");
}
