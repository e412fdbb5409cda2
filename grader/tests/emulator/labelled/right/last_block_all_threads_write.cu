//: grid 4 block 64
__device__ unsigned tickets = 0;
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ bool last;
  const int t = threadIdx.x;
  out[blockIdx.x * 64 + t] = 3 * in[t];
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  __syncthreads();
  if (last)
    for (unsigned b = 0; b < gridDim.x; ++b) atomicAdd(&zero[0], out[b * 64 + 63 - t]);
}
