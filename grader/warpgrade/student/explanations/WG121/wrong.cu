__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  if (i < n) tile[threadIdx.x] = in[i];  // never 60 to 63
  __syncthreads();
  if (i < n) out[i] = tile[63 - threadIdx.x];
}
