//: grid 2 block 1
#include <cuda/atomic>
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (blockIdx.x == 0) {
    zero[1] = in[5];  //! WG114
    cuda::atomic_ref<int, cuda::thread_scope_block>(zero[0]).store(1, cuda::memory_order_release);
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(zero[0]);
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = zero[1];  //! WG114
  }
}
