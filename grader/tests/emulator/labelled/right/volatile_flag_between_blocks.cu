//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* flag = zero;
  if (blockIdx.x == 0) {
    out[threadIdx.x] = 2 * in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    __threadfence();
    out[32 + threadIdx.x] = out[31 - threadIdx.x];
  }
}
