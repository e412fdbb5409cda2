//: block 96
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  const int t = threadIdx.x;
  if (t < 32) {
    box[t] = in[t];
    asm volatile("barrier.arrive 1, 96;" ::: "memory");
    out[t] = box[32 + t];  //! WG112
  } else {
    asm volatile("barrier.sync 1, 96;" ::: "memory");
    if (t < 64) box[t] = box[63 - t];
  }
}
