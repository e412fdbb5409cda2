//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  const unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  row[threadIdx.x] = in[threadIdx.x];
  __syncwarp(mask);
  const int sum = row[threadIdx.x ^ 7] + row[threadIdx.x ^ 1];
  __syncwarp(mask);
  row[threadIdx.x] = sum;
  __syncwarp(mask);
  out[threadIdx.x] = row[threadIdx.x ^ 4];
}
