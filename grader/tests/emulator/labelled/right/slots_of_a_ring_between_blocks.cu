//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* full = zero;  // of each slot
  volatile int* slot = zero + 8;
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 20; ++i) {
    if (blockIdx.x == 0) {
      while (full[i % 4] != 0) {
      }
      __threadfence();
      slot[i % 4] = in[i];
      __threadfence();
      full[i % 4] = 1;
    } else {
      while (full[i % 4] == 0) {
      }
      __threadfence();
      out[i] = slot[i % 4];
      __threadfence();
      full[i % 4] = 0;
    }
  }
}
