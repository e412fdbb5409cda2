//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  if (threadIdx.x >= 64) return;
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = box[63 - threadIdx.x];
}
