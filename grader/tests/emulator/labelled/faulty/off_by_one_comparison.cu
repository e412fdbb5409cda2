//: grid 1 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i <= n; i += 8) sum += in[i];  //! WG101
  out[threadIdx.x] = sum;
}
