// Host:  example<<<1, 64>>>(in, out, n);
//        cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (i < n) sum = 2 * in[i];
  if (i < n) out[i] = sum;
}
