//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = in[64 * round + threadIdx.x];
    __syncthreads();
    out[i] += tile[63 - threadIdx.x];
    __syncthreads();
  }
}
