__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  float sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    tile[threadIdx.x] = in[(i + turn) % n];
    __syncthreads();  // all is written: now read
    sum += tile[63 - threadIdx.x];
    __syncthreads();  // all is read: the next turn may write
  }
  if (i < n) out[i] = sum;
}
