// Host:  cudaMallocManaged(&out, bytes);
//        example<<<1, 64>>>(in, out, n);
//        printf("%f\n", out[0]);  // the kernel may not have begun
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
