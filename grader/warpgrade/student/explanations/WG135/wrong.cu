__global__ void example(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;  // the last lanes of the second warp are gone
  float sum = in[i];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (i % 32 == 0) out[i / 32] = sum;
}
