//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = 2 * in[i];
  __syncthreads();
  out[500 + i] = out[(i + 64) % 256];  //! WG114
}
