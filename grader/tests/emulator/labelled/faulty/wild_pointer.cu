//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* where = reinterpret_cast<int*>(0x123456789000ull + static_cast<unsigned long long>(in[0]));
  where[threadIdx.x] = 1;  //! WG108
}
