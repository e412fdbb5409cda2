//: grid 8 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&zero[in[i] % 16], 1);
}
