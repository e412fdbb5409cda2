//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int last;
  last = in[threadIdx.x];  //! WG111
  __syncthreads();
  out[threadIdx.x] = last;
}
