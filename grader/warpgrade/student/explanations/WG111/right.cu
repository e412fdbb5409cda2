__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float first;
  if (threadIdx.x == 0) first = in[0];
  __syncthreads();
  if (i < n) out[i] = first;
}
