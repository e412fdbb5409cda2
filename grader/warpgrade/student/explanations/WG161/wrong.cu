__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto texture = reinterpret_cast<cudaTextureObject_t>(in);
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}
