//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[4];
  int value = in[threadIdx.x];
  for (int turn = 0; turn < 3; ++turn) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = threadIdx.x < 4 ? sums[threadIdx.x] : 0;
      for (int step = 2; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    }
    __syncthreads();
    if (turn == 1 && threadIdx.x >= 96) return;
  }
  out[threadIdx.x] = value;
}
