//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < 4; ++turn) {
    if (warp == turn) box[lane] = (turn == 0 ? 0 : box[lane]) + in[turn * 32 + lane];
    __syncthreads();
  }
  if (warp == 0) out[lane] = box[lane];
}
