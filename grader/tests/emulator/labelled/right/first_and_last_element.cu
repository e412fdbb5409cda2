//: grid 16 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i] + in[0] + in[n - 1];
}
