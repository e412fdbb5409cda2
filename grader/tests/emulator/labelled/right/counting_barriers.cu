//: block 96
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int odd = __syncthreads_count(in[threadIdx.x] % 2);
  const int all = __syncthreads_and(in[threadIdx.x] >= 0), any = __syncthreads_or(in[threadIdx.x] > 90);
  out[threadIdx.x] = odd + all + any;
}
