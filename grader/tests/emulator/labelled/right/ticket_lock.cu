//: grid 6 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x != 0) return;
  const int mine = atomicAdd(&zero[0], 1);
  while (atomicAdd(&zero[1], 0) != mine) {
  }
  __threadfence();
  zero[2] += in[blockIdx.x];
  __threadfence();
  atomicAdd(&zero[1], 1);
}
