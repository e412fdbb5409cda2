// Host:  example<<<1, 64>>>(in, out, n);
__global__ void example(const float* in, float* out, int n) {
  __shared__ alignas(16) float tile[60];
  if (threadIdx.x < n) tile[threadIdx.x] = 2 * in[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto from = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group"
                 " [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(4 * n));
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;");
  }
}
