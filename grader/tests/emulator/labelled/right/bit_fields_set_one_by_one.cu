//: grid 2 block 32
// Each is put into a word of which nothing else may have been written.
struct Bits {
  unsigned low : 3, middle : 7, high : 12;
  unsigned char small : 3, rest : 5;
};

__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ Bits shared[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  Bits* own = reinterpret_cast<Bits*>(out + 100) + i;
  own->middle = in[i];
  shared[threadIdx.x].rest = in[i];
  __syncthreads();
  own->low = in[i] + 1;
  __syncthreads();
  out[i] = own->middle + own->low + shared[31 - threadIdx.x].rest;
}
