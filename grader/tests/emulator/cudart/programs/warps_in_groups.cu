//+ -gencode arch=compute_80,code=compute_80
//= 2016
// Groups of several warps (cooperative groups, compute capability 8.0): their barriers lie in the shared
// memory that the system reserves.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.hpp"

namespace cg = cooperative_groups;

__global__ void sum(int* out) {
  const auto half = cg::tiled_partition<64>(cg::this_thread_block());
  const int all = cg::reduce(half, static_cast<int>(half.thread_rank()), cg::plus<int>());
  if (half.thread_rank() == 0) out[half.meta_group_rank()] = all;
}

int main() {
  int* out;
  OK(cudaMalloc(&out, 8));
  sum<<<1, 128>>>(out);
  int host[2];
  OK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
  CHECK(host[0] == host[1]);
  std::printf("%d\n", host[0]);
}
