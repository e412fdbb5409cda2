//: block 96
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[96];
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    out[threadIdx.x] = box[threadIdx.x + 32];
    return;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  box[threadIdx.x] = 2 * in[threadIdx.x];  //! WG112
  out[threadIdx.x] = box[threadIdx.x];
}
