// Host:  cudaMallocAsync(&out, bytes, first);
//        cudaEventRecord(made, first);
//        cudaStreamWaitEvent(second, made);
//        cudaMemsetAsync(out, 0, bytes, second);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
