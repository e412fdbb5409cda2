//: grid 4 block 32
// Nodes are words of their own; the top is a number, 0: none.
__device__ int below[129], held[129];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int node = 1 + blockIdx.x * 32 + threadIdx.x;
  held[node] = in[threadIdx.x];
  int top = *static_cast<volatile int*>(zero), seen;
  do {
    seen = top;
    below[node] = seen;
    __threadfence();
    top = atomicCAS(zero, seen, node);
  } while (top != seen);
}
