//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x;
  tile[0][t] = in[t];
  int sum = 0;
  for (int i = 1; i <= 8; ++i) {
    __syncthreads();
    if (i < 8) tile[i % 2][t] = in[64 * i + t];
    sum += tile[(i - 1) % 2][63 - t];
  }
  out[t] = sum;
}
