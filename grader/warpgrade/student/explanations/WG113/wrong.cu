__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int size;
  size = n;  // 64 times the same
  __syncthreads();
  if (i < size) out[i] = in[i];
}
