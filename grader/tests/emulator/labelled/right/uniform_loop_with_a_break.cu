//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int round = 0;; ++round) {
    __syncthreads();
    const int seen = count;
    __syncthreads();
    if (seen >= 3) break;
    if (threadIdx.x == 0) ++count;
  }
  out[threadIdx.x] = in[threadIdx.x];
}
