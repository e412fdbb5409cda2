//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const unsigned lane = threadIdx.x % 32;
  const bool keep = in[threadIdx.x] % 2 != 0;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(zero, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[threadIdx.x];
}
