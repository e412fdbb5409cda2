//: block 64
__device__ void wait(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  const int t = threadIdx.x % 32;
  int sum = 0;
  if (threadIdx.x >= 32) arrive(2);  // empty at first
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      wait(2);  // empty
      box[t] = in[32 * round + t];
      arrive(1);  // full
    } else {
      wait(1);
      sum += box[31 - t];
      if (round < 3) arrive(2);
    }
  }
  if (threadIdx.x >= 32) out[t] = sum;
}
