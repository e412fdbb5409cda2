//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  auto* bytes = reinterpret_cast<unsigned char*>(out) + i;
  const int aligned = i / 4 * 4;
  *reinterpret_cast<short*>(bytes - i + aligned) = static_cast<short>(in[i]);  //! WG114
}
