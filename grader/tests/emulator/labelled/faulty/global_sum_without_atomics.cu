//: grid 8 block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int sums[32];
  sums[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += sums[i];
  zero[0] += sum;  //! WG114
}
