//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* sum = zero + 1;
  if (threadIdx.x != 0) return;
  while (atomicCAS_block(zero, 0, 1) != 0) {  //! WG114
  }
  __threadfence();
  *sum = *sum + in[blockIdx.x + 1];
  __threadfence();
  atomicExch_block(zero, 0);
}
