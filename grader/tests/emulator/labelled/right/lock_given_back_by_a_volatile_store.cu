//: grid 6 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(zero, 0, 1) != 0) {
  }
  __threadfence();
  zero[1] += in[blockIdx.x];
  __threadfence();
  *static_cast<volatile int*>(zero) = 0;
}
