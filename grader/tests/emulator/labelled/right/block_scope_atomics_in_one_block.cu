//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicAdd_block(&zero[blockIdx.x], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = zero[blockIdx.x];
}
