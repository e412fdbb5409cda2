//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const unsigned below = (1u << threadIdx.x) - 1;
  out[threadIdx.x] = __popc(__ballot_sync(below, in[threadIdx.x] % 3 == 0));  //! WG134
}
