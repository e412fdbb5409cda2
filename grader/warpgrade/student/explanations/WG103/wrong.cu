__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 4 > n) return;
  const float4 four = *reinterpret_cast<const float4*>(in + i);  // i = 1?
  out[i] = four.x + four.y + four.z + four.w;
}
