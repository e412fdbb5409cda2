//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  int values[4] = {1, 2, 3, 4};
  for (int i = 0; i < in[2000 - n + 5 - 1000]; ++i) values[in[i] * 400] += i;  //! WG101
  out[threadIdx.x] = values[in[threadIdx.x] % 4];
}
