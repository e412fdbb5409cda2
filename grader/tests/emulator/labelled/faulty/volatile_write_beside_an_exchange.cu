//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    atomicExch(zero, 1);
  else
    *static_cast<volatile int*>(zero) = 2;  //! WG114
}
