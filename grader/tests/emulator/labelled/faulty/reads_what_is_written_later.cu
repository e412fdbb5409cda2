//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  const int old = box[threadIdx.x];  //! WG121
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = old + box[63 - threadIdx.x];
}
