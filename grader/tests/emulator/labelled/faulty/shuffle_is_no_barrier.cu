//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  box[threadIdx.x] = in[threadIdx.x];
  const int other = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 31 - threadIdx.x);
  out[threadIdx.x] = box[other];  //! WG112
}
