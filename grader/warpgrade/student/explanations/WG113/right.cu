__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int size;
  if (threadIdx.x == 0) size = n;
  __syncthreads();
  if (i < size) out[i] = in[i];
}
