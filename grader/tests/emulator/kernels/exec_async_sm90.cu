// Barriers in shared memory and copies that arrive at them. Each kernel writes ints; the tests say which.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

namespace {

__device__ unsigned address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ bool passed(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  return done != 0;
}

}  // namespace

// Neighbours exchange values through shared memory, ordered by nothing but the barrier. n rounds.
extern "C" __global__ void split_barrier(int* out, int n) {
  __shared__ __mbarrier_t barrier;
  __shared__ int box[1024];
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  int value = threadIdx.x;
  for (int round = 0; round < n; ++round) {
    box[threadIdx.x] = value;
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {}
    value = box[(threadIdx.x + 1) % blockDim.x] + 1;
    token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, token, 1000)) {}
  }
  out[threadIdx.x] = value;
}

// n arrivals too few; waits as libraries do, with ever longer pauses.
extern "C" __global__ void too_few_arrivals(int* out, int n) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x + n);
  __syncthreads();
  __mbarrier_arrive(&barrier);
  int turns = 0;
  while (!passed(address(&barrier), 0)) {
    if (turns < 16)
      ++turns;
    else
      __nanosleep(20);
  }
  out[threadIdx.x] = 1;
}

// Each round one thread fewer takes part; what is pending before each arrival.
extern "C" __global__ void dropping(int* out, int n) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, n);
    const __mbarrier_token_t first = __mbarrier_arrive_and_drop(&barrier);
    out[0] = __mbarrier_token_pending_count(first);
    __mbarrier_token_t token = first;
    for (int i = 1; i < n; ++i) out[i] = __mbarrier_token_pending_count(token = __mbarrier_arrive(&barrier));
    out[n] = __mbarrier_test_wait(&barrier, first);
    token = __mbarrier_arrive(&barrier);
    out[n + 1] = __mbarrier_token_pending_count(token);
    out[n + 2] = __mbarrier_test_wait_parity(&barrier, false);
    out[n + 3] = __mbarrier_test_wait_parity(&barrier, true);
    __mbarrier_inval(&barrier);
  }
}

// cp.async that arrives at a barrier; `out` is source and target.
extern "C" __global__ void copies_arrive(int* out, int n) {
  __shared__ __mbarrier_t barrier;
  __shared__ int box[1024];
  const int t = threadIdx.x, size = blockDim.x;
  out[t] = t * n;
  if (t == 0) __mbarrier_init(&barrier, size);
  __syncthreads();
  __pipeline_memcpy_async(box + t, out + t, sizeof(int));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&barrier)) : "memory");
  while (!passed(address(&barrier), 0)) {}
  const int sum = box[t] + box[(t + 1) % size];
  __syncthreads();
  __pipeline_memcpy_async(box + t, out + (t + 2) % size, sizeof(int));
  __pipeline_arrive_on(&barrier);
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {}
  const int other = box[(t + 1) % size];
  __syncthreads();
  out[t] = sum + other;
}

// One thread has 1 KB fetched and brought back.
extern "C" __global__ void bulk_copies(int* out, int n) {
  __shared__ alignas(16) int box[256];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned b = address(&barrier);
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = i * n;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(address(box)), "l"(out), "r"(1024), "r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(1024) : "memory");
  }
  while (!passed(b, 0)) {}
  int sum = 0;
  for (int i = 0; i < 256; ++i) sum += box[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) box[i] = sum + i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 ::"l"(out + 256), "r"(address(box)), "r"(512) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    // Nobody waits for the rest: it gets there all the same.
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 ::"l"(out + 384), "r"(address(box + 128)), "r"(512) : "memory");
  }
}

// Reads a bulk copy that it did not wait for: what was there before. It is a race, too.
extern "C" __global__ void bulk_without_wait(int* out, int n) {
  __shared__ alignas(16) int box[32];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned b = address(&barrier);
  out[threadIdx.x] = n;
  box[threadIdx.x] = 77;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(128) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(address(box)), "l"(out), "r"(128), "r"(b) : "memory");
  }
  const int early = box[threadIdx.x];
  while (!passed(b, 0)) {}
  out[threadIdx.x] = early * 1000 + box[threadIdx.x];
}

// A block is a cluster of its own.
extern "C" __global__ void cluster_of_one(int* out, int n) {
  __shared__ int box[64];
  auto cluster = cooperative_groups::this_cluster();
  box[threadIdx.x] = threadIdx.x * n;
  cluster.sync();
  const int* other = cluster.map_shared_rank(box, 0);
  out[threadIdx.x] = other[threadIdx.x ^ 1] + static_cast<int>(cluster.block_rank()) * 1000 +
                     static_cast<int>(cluster.num_blocks()) * 10000 + static_cast<int>(cluster.query_shared_rank(other));
}
