//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = box[63 - threadIdx.x];  //! WG112
}
