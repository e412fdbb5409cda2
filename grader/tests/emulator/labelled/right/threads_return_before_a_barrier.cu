//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  if (threadIdx.x >= 50) return;
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[49 - threadIdx.x];
}
