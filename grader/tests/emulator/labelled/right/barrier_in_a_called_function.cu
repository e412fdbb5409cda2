//: block 64
__device__ __noinline__ int turned(int* box, int value) {
  box[threadIdx.x] = value;
  __syncthreads();
  return box[63 - threadIdx.x];
}
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  int value = turned(box, in[threadIdx.x]);
  __syncthreads();
  value = turned(box, value + 1);
  out[threadIdx.x] = value;
}
