//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int lane = threadIdx.x;
  const unsigned half = __ballot_sync(0xffffffffu, lane < 16);
  int value = in[lane];
  if (lane <= 16) {  // 16 is one too many
    __syncwarp(half);  //! WG134
    value = -value;
  }
  out[lane] = value;
}
