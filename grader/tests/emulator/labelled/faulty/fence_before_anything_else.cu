//: grid 1 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __threadfence();
  out[threadIdx.x / 2] = in[threadIdx.x];  //! WG114
}
