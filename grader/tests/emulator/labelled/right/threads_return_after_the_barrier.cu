//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  box[threadIdx.x] = i < 100 ? in[i] : 0;
  __syncthreads();
  if (i >= 100) return;
  out[i] = box[63 - threadIdx.x];
}
