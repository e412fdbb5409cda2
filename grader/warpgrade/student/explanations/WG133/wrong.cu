__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  tile[threadIdx.x] = in[i % n];
  if (threadIdx.x % 32 < 16) __syncthreads();  // half of each warp
  else tile[threadIdx.x] += 1.0f;
  if (i < n) out[i] = tile[threadIdx.x];
}
