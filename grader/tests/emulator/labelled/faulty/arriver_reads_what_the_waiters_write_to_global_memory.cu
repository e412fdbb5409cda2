//: grid 4 block 96
__device__ int box[4][64];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int t = threadIdx.x;
  int* const mine = box[blockIdx.x];
  if (t < 32) {
    mine[t] = in[t];
    asm volatile("barrier.arrive 1, 96;" ::: "memory");
    out[32 * blockIdx.x + t] = mine[32 + t];  //! WG114
  } else {
    asm volatile("barrier.sync 1, 96;" ::: "memory");
    if (t < 64) mine[t] = mine[63 - t] + 1;
  }
}
