//: grid 2 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int last;
  if (threadIdx.x < 2) atomicExch(&last, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&out[blockIdx.x], last);
}
