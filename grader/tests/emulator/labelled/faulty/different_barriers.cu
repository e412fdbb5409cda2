//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = 1;
    __syncthreads();  //! WG131
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
    zero[threadIdx.x] = 3;
  }
}
