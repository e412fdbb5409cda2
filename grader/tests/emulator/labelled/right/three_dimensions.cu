//: grid 2,2,2 block 4,4,4
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  if (x < 7 && y < 6 && z < 5) out[(z * 6 + y) * 7 + x] = in[(z * 6 + y) * 7 + x];
}
