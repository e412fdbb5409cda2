//: grid 2 block 64
// One warp writes, fences and arrives; who has waited for it says so to the other block.
__device__ int data[32];
__device__ int flag;
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int t = threadIdx.x % 32;
  if (blockIdx.x == 0) {
    if (threadIdx.x < 32) {
      data[t] = in[t];
      __threadfence();
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      if (t == 0) atomicExch(&flag, 1);
    }
  } else if (threadIdx.x < 32) {
    if (t == 0)
      while (atomicAdd(&flag, 0) == 0) {
      }
    __syncwarp();
    out[t] = data[31 - t];
  }
}
