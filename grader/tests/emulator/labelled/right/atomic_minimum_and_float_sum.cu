//: grid 4 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  atomicMin(&zero[0], in[threadIdx.x] - 5);
  atomicAdd(reinterpret_cast<float*>(&zero[1]), 1.0f);
  atomicMax(&zero[2], in[blockIdx.x]);
}
