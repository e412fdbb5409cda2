//: grid 1 block 64
// A scan to the right, where what nobody wrote reaches all lanes below it.
__global__ void k(const int* in, int* out, int*, int) {
  __shared__ int sums[32];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    int value = sums[threadIdx.x];  //! WG121
    for (int distance = 1; distance < 32; distance *= 2)
      value += __shfl_down_sync(0xffffffff, value, distance);
    sums[threadIdx.x] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0];
}
