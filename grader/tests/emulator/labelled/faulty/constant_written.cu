//: block 32
__constant__ int table[32];
__device__ __noinline__ void put(int* to, int value) {
  asm volatile("" : "+l"(to));
  *to = value;  //! WG107
}
__global__ void test(const int* in, int* out, int* zero, int n) {
  put(&table[threadIdx.x], in[0]);
  out[threadIdx.x] = table[31 - threadIdx.x];
}
