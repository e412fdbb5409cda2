//: grid 2 block 1
#include <cuda/atomic>
__global__ void test(const int* in, int* out, int* zero, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(zero[0]);
  if (blockIdx.x == 0) {
    zero[1] = in[5];
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    out[0] = zero[1];  //! WG114
  }
}
