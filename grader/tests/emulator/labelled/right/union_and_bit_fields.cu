//: block 32
union Word {
  int whole;
  struct {
    unsigned low : 5, middle : 11, high : 16;
  } parts;
};
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ Word words[32];
  words[threadIdx.x].whole = in[threadIdx.x];
  words[threadIdx.x].parts.middle = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(words[31 - threadIdx.x].parts.high + words[threadIdx.x].parts.low);
}
