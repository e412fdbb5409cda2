//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 60 + threadIdx.x;
  out[i] = in[threadIdx.x];  //! WG114
}
