//: grid 8 block 64
__device__ unsigned arrived = 0;
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b];
    zero[0] = sum;
    arrived = 0;
  }
}
