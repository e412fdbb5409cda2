//: block 64
#include <cuda/barrier>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ int row[32];
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int turn = 0; turn < 5; ++turn) {
    if (threadIdx.x < 32) {
      if (turn > 0) empty.arrive_and_wait();
      row[threadIdx.x] = in[turn * 32 + threadIdx.x];
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      out[turn * 32 + threadIdx.x - 32] = row[63 - threadIdx.x];
      if (turn < 4) (void)empty.arrive();
    }
  }
}
