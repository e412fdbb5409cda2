//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  int old = atomicAdd(zero, 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(zero, assumed, assumed + in[threadIdx.x]);
  } while (old != assumed);
}
