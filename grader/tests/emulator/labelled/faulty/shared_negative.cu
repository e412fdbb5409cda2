//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  box[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = box[static_cast<int>(threadIdx.x) - in[1]];  //! WG101
}
