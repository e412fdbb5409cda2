//: block 32
// A bool with seven bytes of padding, which libraries read as one word to look at its first byte.
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* bytes = reinterpret_cast<unsigned char*>(out);
  bytes[8 * threadIdx.x] = in[threadIdx.x] % 2;
  __syncthreads();
  const auto* words = reinterpret_cast<const unsigned long long*>(out);
  const unsigned long long word = __ldcg(words + 31 - threadIdx.x);
  if (static_cast<unsigned char>(word) != 0) zero[threadIdx.x] = 1;
}
