// printf, assert, malloc, and special registers.
#include <cassert>
#include <cstdio>

extern "C" __global__ void prints(int* out, int n) {
  const int t = threadIdx.x;
  if (t < 2)
    printf("block %d thread %d: %5.2f|%s|%c|%lld|%x|%%|%-4d|%e\n", static_cast<int>(blockIdx.x), t,
           n * 1.5 + t, t ? "one" : "zero", 'a' + t, 1234567890123LL * (t + 1), 255 + t, t, 0.001);
  out[t] = 1;
}
extern "C" __global__ void prints_nothing(int* out, int) {
  printf("plain\n");
  out[0] = printf("");
}
extern "C" __global__ void asserts(int* out, int n) {
  out[threadIdx.x] = 1;
  assert(static_cast<int>(threadIdx.x) < n);
}
extern "C" __global__ void allocates(int* out, int n) {
  int* own = static_cast<int*>(malloc(sizeof(int) * 8));
  for (int i = 0; i < 8; ++i) own[i] = threadIdx.x * i + n;
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += own[i];
  free(own);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void places(int* out, int) {
  unsigned lane, warp, eq, le, lt, ge, gt, warps, sms;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
  const unsigned linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const bool good = lane == linear % 32 && warp == linear / 32 && eq == 1u << lane && lt == eq - 1 &&
                    le == (lt | eq) && gt == ~le && ge == ~lt && warps >= 32 && sms >= 1;
  out[block * threads + linear] = good ? static_cast<int>(block * 10000 + linear) : -1;
}

extern "C" __global__ void shared_sizes(int* out, int) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[10];
  unsigned dynamic_bytes, all_bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic_bytes));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(all_bytes));
  dynamic[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 10) fixed[threadIdx.x] = 100;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x % 10];
  const bool room = all_bytes >= dynamic_bytes + sizeof fixed;
  if (threadIdx.x == 0) out[blockDim.x] = room ? static_cast<int>(dynamic_bytes) : -1;
}

extern "C" __global__ void floods(int* out, int n) {
  for (int i = 0; i < n; ++i) printf("thread %d says %d\n", threadIdx.x, i);
  out[threadIdx.x] = 1;
}
