//: grid 4 block 32
// The last block adds up, lane by lane, what the others have counted, stored and fenced; its one flag goes
// to all lanes by a shuffle.
__global__ void k(const int* in, int* out, int* zero, int) {
  volatile int* const partial = out;
  int last = 0;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x] + 1;
    __threadfence();
    last = atomicAdd(zero, 1) == 3;
  }
  if (!__shfl_sync(0xffffffffu, last, 0)) return;
  __threadfence();
  __syncwarp();  // a shuffle orders no memory: the first lane has stored the block's own count
  int sum = threadIdx.x < 4 ? partial[threadIdx.x] : 0;
  for (int apart = 2; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
  if (threadIdx.x == 0) out[100] = sum;
}
