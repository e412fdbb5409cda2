//: block 32
#include <cassert>
__global__ void test(const int* in, int* out, int* zero, int n) {
  assert(in[threadIdx.x] != 17);  //! WG151
  out[threadIdx.x] = 1;
}
