__global__ void example(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;  // every lane brings something
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (i % 32 == 0 && i < n) out[i / 32] = sum;
}
