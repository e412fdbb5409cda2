//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int other = 1; other < 64; ++other) sum += out[other];  //! WG114
    out[100] = sum;
  }
}
