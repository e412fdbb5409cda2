//: grid 4 block 64
__device__ int next[256];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int vertex = in[threadIdx.x] % 48 + 1;
  if (atomicCAS(&zero[vertex], 0, 1) == 0) next[atomicAdd(&zero[0], 1)] = vertex;
}
