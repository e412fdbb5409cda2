//: grid 4 block 64
// The place comes from a counter, so that nothing says whether the block that reads there has done so.
__global__ void k(const int*, int* out, int* zero, int) {
  __shared__ int kept, before;
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0) kept = 0;
  out[512 + i] = i;
  __syncthreads();
  const int mine = out[512 + i];
  const int place = mine % 2 == 0 ? atomicAdd(&kept, 1) : -1;
  __syncthreads();
  if (threadIdx.x == 0) before = atomicAdd(zero, kept);
  __syncthreads();
  if (place >= 0) out[512 + before + place] = mine;  //! WG114
}
