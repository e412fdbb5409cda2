// Host:  cudaMallocAsync(&out, bytes, first);
//        cudaMemsetAsync(out, 0, bytes, second);  // is it there?
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
