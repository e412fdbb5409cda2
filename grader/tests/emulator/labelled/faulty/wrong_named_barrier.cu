//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 32;" ::: "memory");
  else
    asm volatile("bar.sync 2, 32;" ::: "memory");
  out[threadIdx.x] = box[63 - threadIdx.x];  //! WG112
}
