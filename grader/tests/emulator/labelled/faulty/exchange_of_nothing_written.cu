//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x == 0) zero[1] = atomicExch(&out[0], in[0]) + 1;  //! WG121
}
