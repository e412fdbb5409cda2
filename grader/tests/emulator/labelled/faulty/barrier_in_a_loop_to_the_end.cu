//: block 64
// Whoever has no row left returns, while lanes of the same warp wait for the next one.
__global__ void test(const int* in, int* out, int* zero, int n) {
  for (int row = threadIdx.x; row < 100; row += 64) {
    out[row] = row;
    __syncthreads();  //! WG133
  }
}
