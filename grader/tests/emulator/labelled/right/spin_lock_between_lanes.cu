//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  bool done = false;
  while (!done) {
    if (atomicCAS(zero, 0, 1) == 0) {
      __threadfence();
      zero[1] += in[threadIdx.x];
      __threadfence();
      atomicExch(zero, 0);
      done = true;
    }
  }
}
