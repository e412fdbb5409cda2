// Host:  cudaEventRecord(start);
//        example<<<1, 64>>>(in, out, n);
//        cudaEventRecord(stop);
//        cudaEventSynchronize(stop);
//        cudaEventElapsedTime(&milliseconds, stop, start);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
