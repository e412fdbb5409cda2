//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  for (int i = 0; i < 8; ++i) {
    if (in[threadIdx.x] / 32 * 4 < i) break;
    __syncthreads();  //! WG131
  }
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
}
