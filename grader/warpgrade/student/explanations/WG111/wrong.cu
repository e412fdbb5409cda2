__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float first;
  first = in[i % n];  // all 64 threads write it
  __syncthreads();
  if (i < n) out[i] = first;
}
