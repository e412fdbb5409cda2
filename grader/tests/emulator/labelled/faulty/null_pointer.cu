//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* where = reinterpret_cast<int*>(static_cast<unsigned long long>(in[0]));
  where[threadIdx.x] = 1;  //! WG106
}
