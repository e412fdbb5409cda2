//: grid 4 block 32
__device__ int root(volatile int* parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}
__device__ int parents[128];
__global__ void test(const int* in, int* out, int* zero, int n) {
  const int me = blockIdx.x * 32 + threadIdx.x;
  atomicExch(&parents[me], me);
  __threadfence();
  atomicAdd(&zero[0], 1);
  while (atomicAdd(&zero[0], 0) != 128) {
  }
  __threadfence();
  int a = root(parents, me), b = root(parents, (me * 7 + 3) % 128);
  while (a != b) {
    if (a < b) {
      const int t = a;
      a = b;
      b = t;
    }
    const int old = atomicCAS(&parents[a], a, b);
    if (old == a) break;
    a = root(parents, old);
    b = root(parents, b);
  }
}
