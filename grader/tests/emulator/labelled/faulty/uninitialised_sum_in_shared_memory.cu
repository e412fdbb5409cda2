//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sum;
  atomicAdd(&sum, in[threadIdx.x]);  //! WG121
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
