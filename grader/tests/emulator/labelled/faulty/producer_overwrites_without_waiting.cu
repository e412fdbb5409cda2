//: block 64
__device__ void wait(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int box[32];
  const int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[t] = in[t];
    arrive(1);             // full
    box[t] = in[32 + t];   //! WG112
    arrive(2);             // full again
  } else {
    wait(1);
    int sum = box[31 - t];
    wait(2);
    out[t] = sum + box[31 - t];
  }
}
