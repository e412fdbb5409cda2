//: grid 4 block 16
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* bytes = reinterpret_cast<unsigned char*>(zero);
  bytes[threadIdx.x * 4 + blockIdx.x] = static_cast<unsigned char>(in[threadIdx.x]);
}
