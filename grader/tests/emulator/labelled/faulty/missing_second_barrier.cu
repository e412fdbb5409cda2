//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    box[threadIdx.x] = in[64 * i + threadIdx.x];  //! WG112
    __syncthreads();
    sum += box[63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
