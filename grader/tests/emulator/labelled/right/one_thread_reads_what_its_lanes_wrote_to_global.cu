//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    int sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += out[i + lane];
    out[i] = sum;
  }
}
