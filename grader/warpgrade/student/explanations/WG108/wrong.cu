__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t start = static_cast<size_t>(n) << 36;  // shifted too far
  if (i < n) out[i] = in[start + i];
}
