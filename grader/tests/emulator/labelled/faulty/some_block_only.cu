//: grid 9 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (blockIdx.x == 7 && threadIdx.x == 13) out[n + 2] = 1;  //! WG102
}
