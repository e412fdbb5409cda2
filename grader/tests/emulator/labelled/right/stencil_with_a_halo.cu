//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[64 + 4];
  const int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 2;
  tile[t] = in[i];
  if (threadIdx.x < 2) {
    tile[t - 2] = i >= 2 ? in[i - 2] : 0;
    tile[t + 64] = i + 64 < n ? in[i + 64] : 0;
  }
  __syncthreads();
  out[i] = tile[t - 2] + tile[t - 1] + tile[t] + tile[t + 1] + tile[t + 2];
}
