//: block 36
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 32) return;
  const unsigned lane = threadIdx.x % 32;
  out[threadIdx.x] = zero[0];
  __syncwarp(3u << (lane & 30));  // lanes that the block does not have are in no pair
  if (lane == 2) zero[0] = 1;  //! WG114
}
