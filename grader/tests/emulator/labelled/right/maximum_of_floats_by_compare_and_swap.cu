//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const float value = static_cast<float>(in[threadIdx.x + blockIdx.x]);
  int old = zero[3];
  while (__int_as_float(old) < value) {
    const int assumed = old;
    old = atomicCAS(&zero[3], assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}
