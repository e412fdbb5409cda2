//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = box[(threadIdx.x + 32) % 64];  //! WG112
}
