//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ volatile int sums[32];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x < 16) {
    sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + 16];
    sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + 8];  //! WG112
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
