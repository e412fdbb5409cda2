//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 48) asm volatile("bar.sync 1, 48;" ::: "memory");  //! WG133
  out[threadIdx.x] = in[threadIdx.x];
}
