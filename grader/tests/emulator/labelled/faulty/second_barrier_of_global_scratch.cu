//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    out[threadIdx.x] = in[64 * i + threadIdx.x];  //! WG114
    __syncthreads();
    sum += out[63 - threadIdx.x];
  }
  out[200 + threadIdx.x] = sum;
}
