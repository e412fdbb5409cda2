//: block 64 shared 128
extern __shared__ int tile[];
__global__ void test(const int* in, int* out, int* zero, int n) {
  tile[threadIdx.x] = in[threadIdx.x];  //! WG102
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
