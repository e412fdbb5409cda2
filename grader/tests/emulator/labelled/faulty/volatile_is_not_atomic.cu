//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* count = zero;
  if (threadIdx.x == 0) *count = *count + 1;  //! WG114
}
