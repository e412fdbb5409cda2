//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  zero[threadIdx.x] = out[threadIdx.x + 100];  //! WG121
}
