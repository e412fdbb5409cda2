//: block 8,8
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < 7 && y < 7) tile[y][x] = in[y * 7 + x];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += tile[y][i];  //! WG121
  out[y * 8 + x] = sum;
}
