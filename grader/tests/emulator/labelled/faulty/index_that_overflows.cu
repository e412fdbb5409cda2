//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int far = n * n * n * 3;
  out[threadIdx.x] = in[far + threadIdx.x];  //! WG101
}
