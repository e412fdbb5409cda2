//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  out[threadIdx.x] = in[threadIdx.x];
  out[100 + threadIdx.x] = out[31 - threadIdx.x];  //! WG114
}
