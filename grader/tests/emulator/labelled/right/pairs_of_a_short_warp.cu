//: block 36
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int s[36];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp(3u << (threadIdx.x % 32 & 30));
  const int partner = s[threadIdx.x ^ 1];
  __syncwarp(3u << (threadIdx.x % 32 & 30));
  s[threadIdx.x] = partner + 1;
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 2];
}
