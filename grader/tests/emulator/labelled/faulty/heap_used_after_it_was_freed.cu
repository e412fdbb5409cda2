//: block 1
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* own = static_cast<int*>(malloc(64));
  own[0] = in[1];
  free(own);
  out[0] = own[0];  //! WG104
}
