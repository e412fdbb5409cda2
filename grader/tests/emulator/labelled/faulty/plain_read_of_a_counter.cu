//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x == 0) atomicAdd(zero, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = *zero;  //! WG114
}
