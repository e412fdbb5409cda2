//: block 256
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int histogram[16], offset[16];
  if (threadIdx.x < 16) histogram[threadIdx.x] = 0;
  __syncthreads();
  const int key = in[threadIdx.x] * 37 % 16;
  atomicAdd(&histogram[key], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) {
      offset[i] = sum;
      sum += histogram[i];
    }
  }
  __syncthreads();
  out[atomicAdd(&offset[key], 1)] = in[threadIdx.x];
}
