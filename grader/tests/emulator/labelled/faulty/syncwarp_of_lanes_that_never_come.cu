//: block 32
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    __syncwarp();
  } else {
    while (atomicAdd(&zero[0], 0) == 0) {  //! WG141
    }
  }
  atomicExch(&zero[0], 1);
}
