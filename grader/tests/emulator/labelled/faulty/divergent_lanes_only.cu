//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  int at = threadIdx.x;
  if (in[threadIdx.x] % 10 == 9) at += n - 20;
  out[at] = 4;  //! WG102
}
