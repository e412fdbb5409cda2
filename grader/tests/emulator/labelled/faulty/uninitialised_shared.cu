//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  if (threadIdx.x < 60) box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x];  //! WG121
}
