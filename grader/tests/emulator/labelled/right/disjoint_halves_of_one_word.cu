//: grid 3 block 33
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* to = reinterpret_cast<short*>(out);
  const int i = blockIdx.x * 33 + threadIdx.x;
  to[i] = static_cast<short>(in[i]);
  to[i] = static_cast<short>(to[i] + 1);
}
