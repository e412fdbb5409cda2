//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ float largest;
  if (threadIdx.x == 0) largest = -1.0f;
  __syncthreads();
  int* word = reinterpret_cast<int*>(&largest);
  int old = *word, assumed;
  do {
    assumed = old;
    const float best = fmaxf(__int_as_float(assumed), static_cast<float>(in[threadIdx.x]));
    old = atomicCAS(word, assumed, __float_as_int(best));
  } while (old != assumed);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = static_cast<int>(largest);
}
