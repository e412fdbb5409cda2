//: block 64 shared 768
extern __shared__ char raw[];
__global__ void test(const int* in, int* out, int* zero, int n) {
  int* first = reinterpret_cast<int*>(raw);
  auto* second = reinterpret_cast<double*>(raw + 256);
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = 2.0 * in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first[63 - threadIdx.x] + static_cast<int>(second[63 - threadIdx.x]);
}
