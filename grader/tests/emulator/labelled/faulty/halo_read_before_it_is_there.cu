//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[66];
  tile[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 32) tile[0] = in[0];
  if (threadIdx.x == 63) tile[65] = in[64];
  out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2];  //! WG112
}
