//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const auto* four = reinterpret_cast<const int4*>(in);
  int4 value = {0, 0, 0, 0};
  for (int i = threadIdx.x; i <= n / 4; i += 32) value.x += four[i].y;  //! WG101
  out[threadIdx.x] = value.x;
}
