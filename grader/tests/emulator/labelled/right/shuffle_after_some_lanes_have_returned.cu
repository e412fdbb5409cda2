//: block 64
// Who has returned is not waited for, and nobody reads from such a lane.
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x >= 48) return;
  int value = in[threadIdx.x];
  if (threadIdx.x < 32) value += __shfl_xor_sync(0xffffffffu, value, 1);
  const int other = __shfl_xor_sync(0xffffffffu, value, 2);
  out[threadIdx.x] = value + other;
}
