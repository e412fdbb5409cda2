__device__ __noinline__ float sum(const float* in, int n, int depth) {
  volatile float here = in[depth % n];
  return depth == 0 ? here : here + sum(in, n, depth - 1) * here;
}

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sum(in, n, 1 << 20);
}
