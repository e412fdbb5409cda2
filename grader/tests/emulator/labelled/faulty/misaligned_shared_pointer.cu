//: block 32 shared 512
extern __shared__ char raw[];
__global__ void test(const int* in, int* out, int* zero, int n) {
  raw[threadIdx.x] = static_cast<char>(in[threadIdx.x]);
  auto* numbers = reinterpret_cast<int*>(raw + 33);
  numbers[threadIdx.x] = 1;  //! WG103
}
