//: grid 2,2 block 32,8
__global__ void test(const int* in, int* out, int* zero, int n) {
  constexpr int width = 20, height = 50;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < height && y < width) out[(49 - y) * width + x] = in[y];  //! WG102
}
