//: grid 1 block 64
// A loop that loads ahead reads one step beyond what was written, and drops it.
__global__ void k(const int* in, int* out, int*, int) {
  __shared__ int tiles[3][64];
  tiles[0][threadIdx.x] = in[threadIdx.x];
  tiles[1][threadIdx.x] = in[threadIdx.x + 64];
  __syncthreads();
  const volatile int* const read = &tiles[0][63 - threadIdx.x];
  int ahead = read[0], sum = 0;
  for (int step = 0; step < 2; ++step) {
    const int now = ahead;
    ahead = read[64 * (step + 1)];
    sum += now;
  }
  out[threadIdx.x] = sum;
}
