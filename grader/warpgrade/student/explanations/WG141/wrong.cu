__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (unsigned step = n - 1; step >= 0; --step) {  // never below 0
    sum += in[step % n];
  }
  if (i < n) out[i] = sum;
}
