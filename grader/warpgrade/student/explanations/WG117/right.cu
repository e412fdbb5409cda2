// Host:  cudaStream_t stream;
//        cudaStreamCreate(&stream);
//        example<<<1, 64, 0, stream>>>(in, out, n);
//        cudaStreamSynchronize(stream);
//        cudaStreamDestroy(stream);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
