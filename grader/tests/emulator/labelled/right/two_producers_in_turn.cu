//: block 192
// Each of two warps fills every other round; four warps wait for it with a count of five warps.
__device__ void wait(int id) { asm volatile("bar.sync %0, 160;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 160;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[2][32];
  const int t = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = 0;
  for (int round = 0; round < 8; ++round) {
    const int who = round % 2;
    if (warp == who) {
      if (round >= 2) wait(3 + who);
      box[who][t] = in[32 * round + t];
      arrive(1 + who);
    } else if (warp >= 2) {
      wait(1 + who);
      sum += box[who][31 - t];
      if (round < 6) arrive(3 + who);
    }
  }
  if (warp >= 2) out[threadIdx.x] = sum;
}
