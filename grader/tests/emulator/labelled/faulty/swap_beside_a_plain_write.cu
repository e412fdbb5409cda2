//: grid 1 block 64
// The plain read before the swap is no fault; the plain write is.
__global__ void test(const int* in, int* out, int* zero, int n) {
  int old = *zero, assumed;
  if (threadIdx.x == 40) {
    *zero = 5;  //! WG114
    return;
  }
  do {
    assumed = old;
    old = atomicCAS(zero, assumed, assumed + 1);
  } while (assumed != old);
}
