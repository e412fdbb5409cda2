//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int letter[32];
  __shared__ int sent;
  if (threadIdx.x == 0) sent = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    letter[lane] = in[lane];
    __syncwarp();
    __threadfence_block();
    if (lane == 0) atomicExch(&sent, 1);
  } else {
    if (lane == 0)
      while (atomicAdd(&sent, 0) == 0) {
      }
    __syncwarp();
    __threadfence_block();
    out[lane] = letter[31 - lane];
  }
}
