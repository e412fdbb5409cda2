//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  out[threadIdx.x] = in[threadIdx.x] + __shfl_xor_sync(half, in[threadIdx.x], 8);
}
