//: block 128
// Two stages: barriers 1 and 2 say full, 3 and 4 empty.
__device__ void wait(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[2][32];
  const int t = threadIdx.x % 32;
  int sum = 0;
  for (int round = 0; round < 6; ++round) {
    const int stage = round % 2;
    if (threadIdx.x < 32) {
      if (round >= 2) wait(3 + stage);
      box[stage][t] = in[32 * round + t];
      arrive(1 + stage);
    } else {
      wait(1 + stage);
      if (round < 4) arrive(3 + stage);
      sum += box[stage][31 - t];  //! WG112
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x] = sum;
}
