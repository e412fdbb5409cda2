//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  //! WG111
  if (in[threadIdx.x] % 3 == 0) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
