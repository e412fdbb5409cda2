//: grid 4 block 64
// Most threads need not update at all, and a plain look says so: whoever looks too early updates in vain.
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int lowest, seen;
  if (threadIdx.x == 0) lowest = n, seen = 0;
  __syncthreads();
  const int mine = in[(threadIdx.x * 7) % 64];
  if (mine > *zero) atomicMax(zero, mine);
  if (mine < lowest) atomicMin(&lowest, mine);
  if (zero[1 + mine % 4] == 0 && atomicCAS(&zero[1 + mine % 4], 0, mine + 1) == 0) atomicAdd(&zero[8], 1);
  const int bit = 1 << mine % 32;
  if ((seen & bit) == 0) atomicOr(&seen, bit);
}
