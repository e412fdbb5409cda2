//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  for (int i = 0; i < in[threadIdx.x / 32] + 1; ++i) {
    out[threadIdx.x + 64 * i] = i;
    __syncthreads();  //! WG131
  }
  zero[threadIdx.x] = 1;
}
