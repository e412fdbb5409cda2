//: block 50
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[50];
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned rest = __activemask();
  __syncwarp(rest);
  out[threadIdx.x] = box[49 - threadIdx.x];
}
