//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int bins[8];
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);  //! WG121
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
