//: grid 3 block 64
__device__ int sums[3];
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int work;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) work = atomicAdd(&zero[0], 1);
    __syncthreads();
    if (work >= 10) return;
    atomicAdd(&zero[1 + work], in[work * 64 + threadIdx.x]);
  }
}
