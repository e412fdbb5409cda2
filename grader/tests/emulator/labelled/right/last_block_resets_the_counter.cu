//: grid 4 block 64 launches 2
__device__ volatile int part[4];
__device__ unsigned arrived;
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ bool last;
  const int sum = __syncthreads_count(in[threadIdx.x] % 3 == 0);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  out[0] = part[0] + part[1] + part[2] + part[3];
  arrived = 0;
}
