//: block 32
__constant__ int table[16] = {1, 2, 3};
__global__ void test(const int* in, int* out, int* zero, int n) {
  out[threadIdx.x] = table[in[threadIdx.x]];  //! WG101
}
