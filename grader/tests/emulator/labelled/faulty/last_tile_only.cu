//: grid 4,4 block 16,16
__global__ void test(const int* in, int* out, int* zero, int n) {
  constexpr int width = 40, height = 25;
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width) out[y * width + x] = 1;  //! WG102
}
