//: grid 4 block 64
// Blocks keep the even numbers of what they have read, in place. The state of each is one word, written behind
// a barrier and without a fence: who sees it knows that the block has read its part.
__global__ void k(const int* in, int* out, int* zero, int) {
  __shared__ int kept, before;
  const int i = blockIdx.x * 64 + threadIdx.x;
  volatile int* const state = zero;
  if (blockIdx.x == 0)  // what is to be compacted; the others wait for it below
    for (int each = threadIdx.x; each < 256; each += 64) out[each] = in[each];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    kept = 0;
    atomicAdd(&zero[8], blockIdx.x == 0);
    while (atomicAdd(&zero[8], 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  const int mine = out[i];
  const int place = mine % 2 == 0 ? atomicAdd(&kept, 1) : -1;
  __syncthreads();
  if (threadIdx.x == 0) {
    int others = 0;
    if (blockIdx.x > 0) {
      while (state[blockIdx.x - 1] == 0) {
      }
      others = state[blockIdx.x - 1] - 1;
    }
    state[blockIdx.x] = others + kept + 1;
    before = others;
  }
  __syncthreads();
  if (place >= 0) out[before + place] = mine;
}
