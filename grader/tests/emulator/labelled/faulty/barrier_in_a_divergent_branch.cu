//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  //! WG133
    out[threadIdx.x] = box[threadIdx.x];
  } else {
    out[threadIdx.x] = 0;
  }
  zero[threadIdx.x] = 1;
}
