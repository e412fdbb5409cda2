//: block 64 shared 512
__global__ void test(const int* in, int* out, int* zero, int n) {
  extern __shared__ __align__(16) unsigned char room[];
  auto* words = reinterpret_cast<int*>(room);
  words[threadIdx.x] = in[threadIdx.x];
  words[64 + threadIdx.x] = in[64 + threadIdx.x];
  __syncthreads();
  const long long pair = reinterpret_cast<long long*>(room)[threadIdx.x];
  __syncthreads();
  reinterpret_cast<double*>(room)[63 - threadIdx.x] = static_cast<double>(pair);
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(reinterpret_cast<double*>(room)[threadIdx.x]);
}
