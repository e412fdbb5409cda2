//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS_block(zero, 0, 1) != 0) {
  }
  if (threadIdx.x != 0) __threadfence_block();
  zero[1] += in[threadIdx.x];  //! WG114
  __threadfence_block();
  atomicExch_block(zero, 0);
}
