//: grid 2 block 64
#include <cuda/atomic>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block>(count).fetch_add(in[threadIdx.x], cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(zero[0]).fetch_add(count);
}
