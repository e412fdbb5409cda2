//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x % 2 == 0) {
    while (atomicCAS(zero, 0, 1) != 0) {
    }
    __threadfence();
    zero[1] += 5;
    __threadfence();
    atomicExch(zero, 0);
  } else {
    zero[1] += 7;  //! WG114
  }
}
