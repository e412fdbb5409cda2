//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[32];
  const unsigned lane = threadIdx.x;
  sums[lane] = in[lane];
  __syncwarp();
  for (unsigned step = 16; step > 0; step /= 2) {
    if (lane < step) sums[lane] += sums[lane + step];
    __syncwarp();
  }
  if (lane == 0) out[0] = sums[0];
}
