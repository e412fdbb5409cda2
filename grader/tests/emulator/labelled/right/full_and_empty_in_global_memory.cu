//: grid 4 block 96
__device__ int box[4][2][32];
__device__ void wait(int id) { asm volatile("barrier.sync %0, 96;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("barrier.arrive %0, 96;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int t = threadIdx.x % 32;
  int sum = 0;
  for (int round = 0; round < 8; ++round) {
    const int stage = round % 2;
    int* const here = box[blockIdx.x][stage];
    if (threadIdx.x < 32) {
      if (round >= 2) wait(3 + stage);
      here[t] = in[32 * round + t];
      arrive(1 + stage);
    } else {
      wait(1 + stage);
      sum += here[31 - t];
      if (round < 6) arrive(3 + stage);
    }
  }
  if (threadIdx.x >= 32) out[96 * blockIdx.x + threadIdx.x] = sum;
}
