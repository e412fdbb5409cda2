//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int keys[64];
  const int t = threadIdx.x;
  keys[t] = in[(t * 37) % 64];
  __syncthreads();
  for (int size = 2; size <= 64; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      const int other = t ^ step;
      if (other > t && (keys[t] > keys[other]) == ((t & size) == 0)) {
        const int swap = keys[t];
        keys[t] = keys[other];
        keys[other] = swap;
      }
      __syncthreads();
    }
  out[t] = keys[t];
}
