//: grid 2 block 1
#include <cuda/atomic>
__global__ void test(const int* in, int* out, int* zero, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(zero[0]);
  if (blockIdx.x == 0) {
    zero[1] = in[5];
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = zero[1];
  }
}
