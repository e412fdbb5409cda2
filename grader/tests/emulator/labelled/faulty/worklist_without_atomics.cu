//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (in[threadIdx.x] % 8 != 0) return;
  const int place = zero[0]++;  //! WG114
  zero[1 + place] = in[threadIdx.x] + 1;  //! WG114
}
