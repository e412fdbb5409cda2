//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int buffer[2][128];
  const int t = threadIdx.x;
  int now = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    buffer[1 - now][t] = buffer[now][t] + (t >= step ? buffer[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[t] = buffer[now][t];
}
