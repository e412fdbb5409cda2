//: grid 4 block 64
// The blocks meet in a loop that asks a function which is called, not inlined.
__device__ __noinline__ int arrived(int* count) { return atomicAdd(count, 0); }

__global__ void k(const int* in, int* out, int* zero, int) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(zero, 1);
    while (arrived(zero) < 4) {
    }
    __threadfence();
  }
  __syncthreads();
  out[256 + i] = out[(i + 64) % 256];
}
