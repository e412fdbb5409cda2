//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* flag = zero;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[3];
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    out[1] = out[0];  //! WG114
  }
}
