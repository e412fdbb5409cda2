//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicAdd_block(&zero[0], in[threadIdx.x]);  //! WG114
}
