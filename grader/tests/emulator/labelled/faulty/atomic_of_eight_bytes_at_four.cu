//: block 1
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicAdd(reinterpret_cast<unsigned long long*>(zero + 1), 1ull);  //! WG103
}
