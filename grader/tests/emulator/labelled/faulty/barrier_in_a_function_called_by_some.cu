//: block 64
__device__ __noinline__ void meet(int* out) {
  out[threadIdx.x] = 1;
  __syncthreads();  //! WG133
}
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x % 4 == 0) meet(out);
  zero[threadIdx.x] = in[threadIdx.x];
}
