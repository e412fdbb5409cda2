//: grid 4 block 64
__device__ unsigned arrived = 0;
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ bool last;
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b * 64 + 40];  //! WG114
    zero[0] = sum;
  }
}
