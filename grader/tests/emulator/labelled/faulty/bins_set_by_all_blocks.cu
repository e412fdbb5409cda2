//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  zero[in[blockIdx.x * 64 + threadIdx.x] % 16] = blockIdx.x + 1;  //! WG114
}
