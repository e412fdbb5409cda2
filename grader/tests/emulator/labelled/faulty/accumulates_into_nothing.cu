//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] += in[i];  //! WG121
}
