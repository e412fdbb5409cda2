//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x, other = 127 - i;
  const int mine = zero[i % 64];
  zero[other % 64] = mine + i;  //! WG114
}
