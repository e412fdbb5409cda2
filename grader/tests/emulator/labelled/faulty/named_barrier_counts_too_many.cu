//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  //! WG132
  out[threadIdx.x] = in[threadIdx.x];
}
