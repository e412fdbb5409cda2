//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  int* own = new int[4];
  for (int i = 0; i < 3; ++i) own[i] = in[threadIdx.x + i];
  out[blockIdx.x * 32 + threadIdx.x] = own[0] + own[3];  //! WG121
  delete[] own;
}
