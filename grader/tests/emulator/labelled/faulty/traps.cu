//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (in[threadIdx.x] == 9) __trap();  //! WG152
  out[threadIdx.x] = 1;
}
