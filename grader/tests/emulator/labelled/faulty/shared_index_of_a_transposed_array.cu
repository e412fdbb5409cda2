//: block 16,8
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[8][16];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  //! WG101
}
