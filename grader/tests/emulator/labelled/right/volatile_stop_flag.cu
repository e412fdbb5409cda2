//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* stop = zero;
  for (int i = threadIdx.x; i < n; i += 64) {
    if (*stop != 0) break;
    if (in[i] == 500 + static_cast<int>(blockIdx.x)) *stop = 1;
  }
}
