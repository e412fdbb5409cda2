//: block 64
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ short halves[65];
  auto* bytes = reinterpret_cast<char*>(halves);
  halves[threadIdx.x] = static_cast<short>(in[threadIdx.x]);
  bytes[2 * threadIdx.x + 3] = 1;  //! WG111
  __syncthreads();
  out[threadIdx.x] = halves[threadIdx.x];
}
