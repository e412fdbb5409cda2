//: block 128
// Between threads of one block fences of the block are enough, also beside atomics of the device.
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(zero, 0, 1) != 0) {
  }
  __threadfence_block();
  zero[1] += in[threadIdx.x];
  __threadfence_block();
  atomicExch(zero, 0);
}
