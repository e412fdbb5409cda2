//: block 64
template <int Stride>
__device__ int sum_of(const int* from, int n) {
  int sum = 0;
  for (int i = threadIdx.x * Stride; i < n; i += 64)
    for (int j = 0; j < Stride; ++j) sum += from[i + j];  //! WG101
  return sum;
}
__global__ void test(const int* in, int* out, int* zero, int n) { out[threadIdx.x] = sum_of<7>(in, n); }
