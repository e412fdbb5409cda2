//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  box[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 16)
    __syncwarp(0x0000ffffu);
  else
    __syncwarp(0xffff0000u);
  out[threadIdx.x] = box[31 - threadIdx.x];  //! WG112
}
