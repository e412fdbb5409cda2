//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int4 value = *reinterpret_cast<const int4*>(&in[5 * threadIdx.x]);  //! WG103
  out[threadIdx.x] = value.x + value.w;
}
