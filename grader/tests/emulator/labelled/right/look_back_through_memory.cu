//: grid 6 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* ready = zero;
  int* sums = out + 900;
  const int tile = blockIdx.x;
  int own = in[tile * 32 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  if (threadIdx.x == 0) {
    int before = 0;
    if (tile > 0) {
      while (ready[tile - 1] == 0) {
      }
      __threadfence();
      before = sums[tile - 1];
    }
    sums[tile] = before + own;
    __threadfence();
    ready[tile] = 1;
  }
}
