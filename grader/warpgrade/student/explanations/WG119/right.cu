// Host:  example<<<1, 64, 0, stream>>>(in, out, n);
//        cudaMemcpyAsync(result, out, bytes,
//                        cudaMemcpyDeviceToHost, stream);
//        cudaStreamSynchronize(stream);
//        printf("%f\n", result[0]);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
