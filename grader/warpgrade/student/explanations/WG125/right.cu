__global__ void example(const float* in, float* out, int n) {
  __shared__ float sums[64];
  const int i = threadIdx.x;
  sums[i] = i < n ? 2 * in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = sums[63 - i];
}
