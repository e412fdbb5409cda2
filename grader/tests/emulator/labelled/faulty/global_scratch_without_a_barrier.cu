//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  int* scratch = out + 128;
  const int t = threadIdx.x;
  scratch[t] = in[t];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2)
    if (t < step) scratch[t] += scratch[t + step];  //! WG114
  if (t == 0) out[0] = scratch[0];
}
