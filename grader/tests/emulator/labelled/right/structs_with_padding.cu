//: grid 2 block 32
struct Pair {
  char tag;
  int value;
  short more;
};
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ Pair pairs[32];
  auto* all = reinterpret_cast<Pair*>(out);
  const int i = blockIdx.x * 32 + threadIdx.x;
  pairs[threadIdx.x].tag = 'a';
  pairs[threadIdx.x].value = in[i];
  pairs[threadIdx.x].more = 3;
  __syncthreads();
  all[i] = pairs[31 - threadIdx.x];
}
