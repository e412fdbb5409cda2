//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  int value = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) value += __shfl_down_sync(0xffffffffu, value, 8);  //! WG134
  out[threadIdx.x] = value;
}
