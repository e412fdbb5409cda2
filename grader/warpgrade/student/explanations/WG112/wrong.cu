__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  float sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    tile[threadIdx.x] = in[(i + turn) % n];
    sum += tile[63 - threadIdx.x];  // written yet?
  }  // read by everybody, before the next turn writes?
  if (i < n) out[i] = sum;
}
