//: grid 4 block 64
__device__ int box[4][32];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[blockIdx.x][t] = in[t];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    box[blockIdx.x][t] = in[32 + t];  //! WG114
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    int sum = box[blockIdx.x][31 - t];
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[32 * blockIdx.x + t] = sum + box[blockIdx.x][31 - t];
  }
}
