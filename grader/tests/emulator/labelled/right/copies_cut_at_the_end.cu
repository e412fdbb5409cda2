//: block 64
// Copied by four: the last copy takes one element, those behind it none, and zeros fill up what is left.
__device__ alignas(16) int table[237];

__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ alignas(16) int row[256];
  const int first = 4 * static_cast<int>(threadIdx.x);
  const int bytes = 4 * max(0, min(4, 237 - first));
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&row[first]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(table + first), "r"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64) out[i] = row[255 - i];
}
