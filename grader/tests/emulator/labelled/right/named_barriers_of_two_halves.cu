//: block 128
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int parts[128];
  const int t = threadIdx.x, half = t / 64;
  parts[t] = in[t];
  if (half == 0)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[t] = parts[half * 64 + (t + 1) % 64];
}
