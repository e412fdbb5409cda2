//: block 32
// What is read is made wider before it is stored.
__global__ void test(const int* in, int* out, int* zero, int n) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(out + 100);
  out[threadIdx.x] = bytes[threadIdx.x];  //! WG121
}
