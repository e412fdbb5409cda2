//: grid 1 block 64
// The index of the last, by way of a function and a selection.
__device__ __noinline__ int half_of(int value) { return value / 2; }

__global__ void k(const int* in, int* out, int*, int) {
  __shared__ int last[2];
  if (threadIdx.x == 0) last[0] = 40;
  __syncthreads();
  const int index = half_of(last[threadIdx.x / 32]);  //! WG121
  out[threadIdx.x] = in[index & 63];
}
