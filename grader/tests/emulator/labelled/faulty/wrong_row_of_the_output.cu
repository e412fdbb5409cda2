//: grid 2,2 block 8,8
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[threadIdx.y * 16 + x] = in[y * 16 + x];  //! WG114
}
