//: grid 4 block 32
// The last block adds up what the others have counted and stored without a fence, lane by lane.
__global__ void k(const int* in, int* out, int* zero, int) {
  volatile int* const partial = out;
  int last = 0;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x] + 1;  //! WG114
    last = atomicAdd(zero, 1) == 3;
  }
  if (!__shfl_sync(0xffffffffu, last, 0)) return;
  int sum = threadIdx.x < 4 ? partial[threadIdx.x] : 0;  //! WG114
  for (int apart = 2; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
  if (threadIdx.x == 0) out[100] = sum;
}
