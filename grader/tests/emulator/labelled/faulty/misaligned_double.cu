//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* wide = reinterpret_cast<double*>(out + 1);
  wide[threadIdx.x] = 1.5;  //! WG103
}
