//: grid 2 block 32
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[7];
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    out[1] = out[0];
  }
}
