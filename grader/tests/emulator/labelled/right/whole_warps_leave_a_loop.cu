//: block 128
// Each round half of the warps have done their part and return: nobody waits for them.
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  for (int half = 64; half >= 32; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) return;
    sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  out[threadIdx.x] = sums[threadIdx.x];
}
