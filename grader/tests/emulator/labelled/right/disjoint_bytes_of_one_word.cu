//: grid 2 block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = static_cast<unsigned char>(in[threadIdx.x]);
  __syncthreads();
  auto* to = reinterpret_cast<unsigned char*>(out);
  to[blockIdx.x * 64 + threadIdx.x] = bytes[63 - threadIdx.x];
}
