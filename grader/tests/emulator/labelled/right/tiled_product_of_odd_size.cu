//: grid 3,3 block 8,8
__global__ void test(const int* in, int* out, int* zero, int n) {
  constexpr int size = 21;
  __shared__ int a[8][8], b[8][8];
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < size; k += 8) {
    const int ac = k + threadIdx.x, br = k + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < size && ac < size ? in[row * size + ac] : 0;
    b[threadIdx.y][threadIdx.x] = br < size && column < size ? in[br * size + column] : 0;
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < size && column < size) out[row * size + column] = sum;
}
