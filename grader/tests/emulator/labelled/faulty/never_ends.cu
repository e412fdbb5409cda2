//: block 32 steps 200000
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* flag = zero;
  while (*flag == 0) out[threadIdx.x] = 1;  //! WG141
}
