//: grid 2 block 64 launches 4
__device__ int field[2][130];
__device__ int turn = 0;
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int now = zero[0] % 2, i = blockIdx.x * 64 + threadIdx.x + 1;
  field[1 - now][i] = field[now][i - 1] + field[now][i + 1] + in[i];
}
