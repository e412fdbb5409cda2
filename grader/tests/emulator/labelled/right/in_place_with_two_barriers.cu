//: block 96
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int t = threadIdx.x;
  out[t] = in[t];
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    const int left = t > 0 ? out[t - 1] : 0;
    __syncthreads();
    out[t] += left;
    __syncthreads();
  }
}
