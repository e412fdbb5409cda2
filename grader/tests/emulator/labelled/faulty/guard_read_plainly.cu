//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int value = in[threadIdx.x];
  if (zero[0] < value) atomicMax(&zero[0], value);  //! WG114
}
