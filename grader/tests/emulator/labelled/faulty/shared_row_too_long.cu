//: block 16,16
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[16][16];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y + 1][threadIdx.x];  //! WG101
}
