//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* data = zero + 1;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = in[3];
    __threadfence_block();  // the other block is not in it
    atomicExch(zero, 1);
  } else {
    while (atomicAdd(zero, 0) == 0) {
    }
    __threadfence();
    out[0] = *data;  //! WG114
  }
}
