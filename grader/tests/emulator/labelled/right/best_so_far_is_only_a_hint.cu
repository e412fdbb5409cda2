//: grid 4 block 32
// A stale bound costs time, not correctness; volatile, so that it is read each time.
__global__ void test(const int* in, int* out, int* zero, int n) {
  volatile int* best = zero;
  for (int i = threadIdx.x + 32 * blockIdx.x; i < n; i += 128)
    if (in[i] % 97 > *best) atomicMax(zero, in[i] % 97);
}
