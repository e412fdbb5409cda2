// Host:  example<<<2, 64>>>(in, out, n);
__device__ float total;

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (threadIdx.x == 0) total += in[blockIdx.x + 1];  // of each block
}
