//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int* again = in;
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] + again[(i + 7) % n] + bytes[i];
}
