__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int step = n - 1; step >= 0; --step) sum += in[step];
  if (i < n) out[i] = sum;
}
