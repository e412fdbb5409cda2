//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x == 0) zero[0] = in[5 + blockIdx.x];  //! WG114
  int old = zero[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(zero, assumed, assumed + in[threadIdx.x]);
  } while (old != assumed);
}
