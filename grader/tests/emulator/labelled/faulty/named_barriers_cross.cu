//: block 64
__device__ void wait(int id) {
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");  //! WG132
}
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 32) {
    wait(1);
    wait(2);
  } else {
    wait(2);
    wait(1);
  }
  out[threadIdx.x] = in[threadIdx.x];
}
