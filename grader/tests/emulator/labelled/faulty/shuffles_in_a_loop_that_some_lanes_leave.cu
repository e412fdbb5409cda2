//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < 50; i += 32) {
    int value = in[i];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);  //! WG134
    sum += value;
  }
  out[threadIdx.x] = sum;
}
