//: block 64
// A bitmap that nobody has cleared.
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (in[threadIdx.x] % 2) atomicOr(&out[threadIdx.x / 32], 1 << threadIdx.x % 32);  //! WG121
}
