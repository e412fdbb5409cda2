__constant__ float factor;

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* to = &factor;
  asm volatile("" : "+l"(to));  // the compiler forgets where it points
  if (i == 0) *to = in[0];
  if (i < n) out[i] = factor;
}
