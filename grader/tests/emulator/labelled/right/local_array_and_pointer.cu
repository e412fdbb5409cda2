//: block 32
__device__ __noinline__ int pick(const int* values, int which) { return values[which]; }
__global__ void test(const int* in, int* out, int* zero, int n) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = in[threadIdx.x + i];
  out[threadIdx.x] = pick(values, in[threadIdx.x] % 8);
}
