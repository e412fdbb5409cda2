__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 4 > n) return;
  const float4 four = *reinterpret_cast<const float4*>(in + 4 * i);
  out[i] = four.x + four.y + four.z + four.w;
}
