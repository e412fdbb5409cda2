//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int first[32];
  __shared__ int second[32];
  second[threadIdx.x] = in[threadIdx.x];
  first[threadIdx.x + in[1]] = 2;  //! WG102 WG111
  __syncthreads();
  out[threadIdx.x] = first[31 - threadIdx.x] + second[31 - threadIdx.x];  //! WG121
}
