//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int step = 64; step > 16; step /= 2) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      __syncthreads();  //! WG131
    }
  }
  out[threadIdx.x] = sums[threadIdx.x];
}
