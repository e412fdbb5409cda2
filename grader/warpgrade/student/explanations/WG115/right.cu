__device__ int found;

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
  if (i < n && in[i] > 50) atomicExch(&found, 1);
}
