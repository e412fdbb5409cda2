//: block 256
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[256];
  const unsigned t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (unsigned step = 128; step > 32; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t < 32) {
    int own = sums[t] + sums[t + 32];
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffffu, own, step);
    if (t == 0) out[0] = own;
  }
}
