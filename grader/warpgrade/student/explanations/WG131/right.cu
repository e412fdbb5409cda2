__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = in[i];
  } else {
    tile[threadIdx.x] = 0.0f;
  }
  __syncthreads();
  if (i < n) out[i] = tile[63 - threadIdx.x];
}
