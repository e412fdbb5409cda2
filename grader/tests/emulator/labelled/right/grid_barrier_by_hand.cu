//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  for (int round = 1; round <= 3; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(zero, 1);
      while (atomicAdd(zero, 0) < round * 4) {
      }
      __threadfence();
    }
    __syncthreads();
    const int other = (i + 64) % 256;
    const int* from = round % 2 != 0 ? out : out + 256;
    int* to = round % 2 != 0 ? out + 256 : out;
    to[i] = from[other] + 1;
  }
}
