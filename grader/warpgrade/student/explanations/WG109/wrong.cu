__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* copy = static_cast<float*>(malloc(sizeof(float)));
  *copy = in[i % n];
  if (i < n) out[i] = *copy;
  free(copy);
  if (i == 7) free(copy);  // again
}
