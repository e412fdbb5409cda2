// Host:  if (cudaMalloc(&in, n * sizeof(float)) != cudaSuccess) return 1;
//        example<<<1, 64>>>(in, out, n);
__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}
