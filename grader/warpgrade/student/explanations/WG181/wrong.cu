__global__ void example(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  __syncthreads();
  float next = 0;
  if (i + 1 < n) next = __ldg(&out[i + 1]);  // the old value, perhaps
  __syncthreads();
  if (i + 1 < n) out[i] = next;
}
