//: grid 1 block 32
#include <cstdio>
__global__ void k(const int*, int*, int*, int n) {
  __shared__ int total;
  if (n < 0) total = n;
  __syncthreads();
  if (threadIdx.x == 0) printf("total %d\n", total);  //! WG121
}
