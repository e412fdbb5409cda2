//: grid 6 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  int* lock = zero;
  int* sum = zero + 1;
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
  }
}
