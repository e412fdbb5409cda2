//: grid 1 block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicAdd(&zero[in[threadIdx.x]], 1);  //! WG102
}
