__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j <= i && j < n; ++j) sum += in[j];
  if (i < n) out[i] = sum;
}
