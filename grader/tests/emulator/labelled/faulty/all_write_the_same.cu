//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int flag;
  flag = in[5];  //! WG113
  __syncthreads();
  out[threadIdx.x] = flag;
}
