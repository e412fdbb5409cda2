//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* flag = zero;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    zero[0] = 1;  //! WG114
  } else {
    while (*flag == 0) {
    }
    out[1] = 1;
  }
}
