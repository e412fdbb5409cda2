//: grid 4 block 64 launches 2
__device__ int field[258];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x + 1;
  const int sum = field[i - 1] + field[i + 1];
  __syncthreads();
  field[i] = sum + in[i];  //! WG114
}
