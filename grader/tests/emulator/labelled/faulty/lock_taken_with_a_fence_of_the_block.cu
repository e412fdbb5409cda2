//: grid 4 block 32
// The first to take it meets nobody, and its fence is none to whoever comes next.
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(zero, 0, 1) != 0) {
  }
  if (blockIdx.x == 0)
    __threadfence_block();
  else
    __threadfence();
  zero[1] += in[blockIdx.x];  //! WG114
  __threadfence();
  atomicExch(zero, 0);
}
