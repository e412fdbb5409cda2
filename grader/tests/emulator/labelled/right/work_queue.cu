//: grid 4 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(zero, 1);
    __syncthreads();
    const int mine = item;
    __syncthreads();
    if (mine >= 20) return;
    out[mine * 32 + threadIdx.x] = in[mine * 32 + threadIdx.x];
  }
}
