//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const unsigned lane = threadIdx.x;
  int value = in[lane];
  const unsigned even = __ballot_sync(0xffffffffu, lane % 2 == 0);
  if (lane % 2 == 0)
    value += __shfl_xor_sync(even, value, 2);
  else
    value -= __shfl_xor_sync(~even, value, 2);
  out[lane] = value;
}
