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
