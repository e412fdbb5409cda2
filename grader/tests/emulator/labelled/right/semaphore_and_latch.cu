//: grid 1 block 64
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> door{1};
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x % 32 != 0) return;
  door.acquire();
  zero[0] += in[threadIdx.x];
  door.release();
}
