// Host:  example<<<1, 64>>>(in, out, n);
__global__ void example(const float* in, float* out, int n) {
  __shared__ float tile[60];
  __shared__ long long all;  // an mbarrier
  const auto at = (unsigned)__cvta_generic_to_shared(&all);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at));
  __syncthreads();
  if (threadIdx.x < n) tile[threadIdx.x] = in[threadIdx.x];
  long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state) : "r"(at) : "memory");
  for (int done = 0; done == 0;)
    asm volatile("{ .reg .pred p;"
                 "  mbarrier.test_wait.shared.b64 p, [%1], %2;"
                 "  selp.s32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at), "l"(state) : "memory");
  if (threadIdx.x < n) out[threadIdx.x] = 2 * tile[threadIdx.x];
}
