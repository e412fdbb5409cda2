//: block 64
__device__ __noinline__ void put(int* to, int at, int value) {
  to[at] = value;  //! WG102
}
__global__ void test(const int* in, int* out, int* zero, int n) { put(out, n - 40 + threadIdx.x, in[threadIdx.x]); }
