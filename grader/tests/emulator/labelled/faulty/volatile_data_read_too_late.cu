//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* data = zero + 1;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    const int before = *data;
    __threadfence();
    atomicExch(zero, 1);
    out[0] = before + *data;  //! WG114
  } else {
    while (atomicAdd(zero, 0) == 0) {
    }
    __threadfence();
    *data = in[3];  //! WG114
  }
}
