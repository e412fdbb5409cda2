//: grid 2 block 64
#include <cuda/atomic>
__device__ int letter[64];
__global__ void test(const int* in, int* out, int* zero, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(zero[0]);
  if (blockIdx.x == 0) {
    letter[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (ready.load(cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = letter[63 - threadIdx.x];
  }
}
