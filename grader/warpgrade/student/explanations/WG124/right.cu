// Host:  example<<<1, 64>>>(in, out, n);
//        // copies the first half onto the second
//        cudaMemcpy(out + n / 2, out, n / 2 * sizeof(float),
//                   cudaMemcpyDeviceToDevice);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
