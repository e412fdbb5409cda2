//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(zero, 0, 1) != 0) {
  }
  zero[1] += in[blockIdx.x];  //! WG114
  __threadfence();
  atomicExch(zero, 0);
}
