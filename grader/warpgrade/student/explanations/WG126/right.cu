__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int width = n < 64 ? 1 : n / 64;
  if (i < n) out[i] = in[i] * (i % width);
}
