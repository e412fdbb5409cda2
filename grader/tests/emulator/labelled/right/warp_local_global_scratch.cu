//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int warp = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
  int* own = out + warp * 32;
  own[lane] = in[lane];
  __syncwarp();
  const int other = own[lane ^ 5];
  __syncwarp();
  own[lane] = other;
}
