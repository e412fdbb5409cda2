//: grid 2,2 block 16,16
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < 30 && y < 29) tile[threadIdx.y][threadIdx.x] = in[y * 30 + x];
  __syncthreads();
  const int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
  if (tx < 29 && ty < 30) out[ty * 29 + tx] = tile[threadIdx.x][threadIdx.y];
}
