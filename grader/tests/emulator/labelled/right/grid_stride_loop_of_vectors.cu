//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const auto* from = reinterpret_cast<const int4*>(in);
  auto* to = reinterpret_cast<int4*>(out);
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n / 4; i += 128) {
    int4 four = from[i];
    four.x += four.w;
    to[i] = four;
  }
}
