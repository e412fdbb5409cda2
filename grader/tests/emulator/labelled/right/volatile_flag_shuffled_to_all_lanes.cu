//: grid 2 block 32
// One lane polls a flag and hands it to the others, who read what was fenced before it.
__global__ void k(const int* in, int* out, int* zero, int) {
  volatile int* const flag = zero;
  if (blockIdx.x == 0) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  int set = 0;
  while (__shfl_sync(0xffffffffu, set, 0) == 0)
    if (threadIdx.x == 0) set = *flag;
  __threadfence();
  out[100 + threadIdx.x] = out[31 - threadIdx.x];
}
