__device__ void wait(int barrier) {
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  wait(threadIdx.x < 32 ? 1 : 2);  // 32 come, 64 must
  if (i < n) out[i] = in[i];
}
