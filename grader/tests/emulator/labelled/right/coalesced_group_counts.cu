//: grid 2 block 64
#include <cooperative_groups.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  namespace cg = cooperative_groups;
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] % 3 == 0) {
    const auto active = cg::coalesced_threads();
    int place = 0;
    if (active.thread_rank() == 0) place = atomicAdd(zero, static_cast<int>(active.size()));
    place = active.shfl(place, 0) + static_cast<int>(active.thread_rank());
    out[place] = in[i];
  }
}
