//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* two = reinterpret_cast<int2*>(out);
  two[threadIdx.x].x = in[threadIdx.x];
  const int2 both = two[threadIdx.x];  //! WG121
  zero[threadIdx.x] = both.x + both.y;
}
