// Small programs about barriers; handouts show them, a test compiles them.

//> reverse
// A block reverses its 256 numbers. Each thread writes one place and reads another's.
__global__ void reverse(float* data) {
  __shared__ float waiting[256];
  int i = threadIdx.x;
  waiting[i] = data[blockIdx.x * 256 + i];
  __syncthreads();  // from here on all 256 numbers are there
  data[blockIdx.x * 256 + i] = waiting[255 - i];
}
//< reverse

//> divergent
// Wrong: threads with an odd index never arrive where the others wait.
__global__ void waits_for_nobody(float* data) {
  if (threadIdx.x % 2 == 0) {
    data[threadIdx.x] += 1.0f;
    __syncthreads();
  }
}
//< divergent

//> half-a-tree
// Wrong: threads from `half` on add nothing, and never arrive where the others wait.
__global__ void half_a_tree(float* data) {
  for (int half = blockDim.x / 2; half > 0; half /= 2)
    if (threadIdx.x < half) {
      data[threadIdx.x] = fmaxf(data[threadIdx.x], data[threadIdx.x + half]);
      __syncthreads();
    }
}
//< half-a-tree

//> maximum-by-shuffles
// The largest number of a warp's lanes, for lane 0.
__device__ float largest(float mine) {
  for (int distance = 16; distance > 0; distance /= 2)
    mine = fmaxf(mine, __shfl_down_sync(0xffffffff, mine, distance));
  return mine;
}
//< maximum-by-shuffles
