//: block 32
// Flags of a byte each, set by atomics on the words around them: of the last one, three bytes are nobody's.
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* flags = reinterpret_cast<unsigned char*>(out);
  if (threadIdx.x < 29) flags[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 29) atomicOr(&out[threadIdx.x / 4], (in[threadIdx.x] % 2 + 1) << threadIdx.x % 4 * 8);
  __syncthreads();
  if (threadIdx.x < 29) atomicAnd(&out[threadIdx.x / 4], ~(0xff << threadIdx.x % 4 * 8));
  __syncthreads();
  if (threadIdx.x < 29 && flags[threadIdx.x] != 0) zero[1] = 1;
}
