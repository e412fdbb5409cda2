//: grid 2 block 128
// One warp fills, three use what it has filled: barriers 1 to 3 say full, 4 to 6 empty.
__device__ void wait(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[3][32];
  const int t = threadIdx.x % 32;
  int sum = 0;
  if (threadIdx.x >= 32)
    for (int stage = 0; stage < 3; ++stage) arrive(4 + stage);
  for (int round = 0; round < 10; ++round) {
    const int stage = round % 3;
    if (threadIdx.x < 32) {
      wait(4 + stage);
      box[stage][t] = in[32 * round + t];
      arrive(1 + stage);
    } else {
      wait(1 + stage);
      sum += box[stage][31 - t] + box[stage][t];
      if (round + 3 < 10) arrive(4 + stage);
    }
  }
  if (threadIdx.x >= 32) out[128 * blockIdx.x + threadIdx.x] = sum;
}
