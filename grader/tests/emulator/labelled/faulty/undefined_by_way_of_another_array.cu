//: grid 1 block 64
// Moved from one shared array to another before a branch looks at it.
__global__ void k(const int* in, int* out, int*, int) {
  __shared__ int first[64], second[64];
  if (threadIdx.x < 60) first[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  second[threadIdx.x] = first[threadIdx.x];  //! WG121
  __syncthreads();
  if (second[63 - threadIdx.x] > 5) out[threadIdx.x] = 1;
}
