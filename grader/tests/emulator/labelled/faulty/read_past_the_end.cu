//: grid 16 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const int value = in[i];  //! WG101
  out[i % n] = value;
}
