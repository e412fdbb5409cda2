//: grid 4 block 96
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 96 + threadIdx.x; i < n; i += 4 * 96) atomicAdd(&bins[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&zero[threadIdx.x], bins[threadIdx.x]);
}
