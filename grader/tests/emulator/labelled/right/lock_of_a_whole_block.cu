//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(zero, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x < 32) zero[1 + threadIdx.x] += in[threadIdx.x + 32] + in[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(zero, 0);
}
