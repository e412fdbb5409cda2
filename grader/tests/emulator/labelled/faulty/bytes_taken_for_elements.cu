//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const auto* rows = reinterpret_cast<const char*>(in);
  const int pitch = 4 * n;
  out[threadIdx.x] = *reinterpret_cast<const int*>(rows + threadIdx.x * pitch);  //! WG101
}
