//: grid 3 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  if (blockIdx.x != 1) {
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = box[63 - threadIdx.x];
  }
}
