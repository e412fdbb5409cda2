//: block 36
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = in[0];
  __syncthreads();
  if (threadIdx.x < 32) return;
  const unsigned lane = threadIdx.x % 32;
  out[threadIdx.x] = s;
  __syncwarp(3u << (lane & 30));  // lanes that the block does not have are in no pair
  if (lane == 2) s = 0;  //! WG112
}
