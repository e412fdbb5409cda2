//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[32];
  const unsigned mask = 0xffu << (threadIdx.x / 8 * 8);
  row[threadIdx.x] = in[threadIdx.x];
  __syncwarp(mask);
  out[threadIdx.x] = row[threadIdx.x ^ 8];  //! WG112
}
