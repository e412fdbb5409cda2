// Asynchronous copies and barriers in memory, whose counters a GPU and the emulator are to agree on: see counters.py.
//
// asynchronous   launches each kernel once, in one order; prints its label, one a line, before it starts.
#include <cstdint>

#include "launches.cuh"

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

struct Places {  // of each lane, in bytes
  int source[32], target[32], read[32];
};

// Eight copies of `bytes` a lane, from a line of their own each. .cg takes 16 bytes only.
template <int bytes, bool through_l1>
__global__ void copies(const char* in, float* out, const Places* places) {
  __shared__ alignas(128) char s[32768];
  const unsigned lane = threadIdx.x;
  const char* from = in + places->source[lane];
  const unsigned to = shared_address(s) + places->target[lane];
  const int read = places->read[lane];
  for (int i = 0; i < 8; ++i, from += 1 << 16)
    if constexpr (through_l1)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(read) : "memory");
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = reinterpret_cast<float*>(s)[lane];
}

__device__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                  : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  while (done == 0);
}

// Each of the first lanes has a part of the array brought in one piece.
__global__ void bulk_loads(const char* in, float* out, int bytes, int lanes) {
  __shared__ alignas(128) char s[32768];
  __shared__ std::uint64_t barrier;
  const unsigned at = shared_address(&barrier), lane = threadIdx.x;
  if (lane == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes * lanes) : "memory");
  }
  __syncthreads();
  if (lane < lanes)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(s) + lane * bytes),
                 "l"(in + lane * bytes), "r"(bytes), "r"(at) : "memory");
  wait(at, 0);
  out[lane] = reinterpret_cast<float*>(s)[lane];
}

__global__ void bulk_stores(float* out, int bytes, int lanes) {
  __shared__ alignas(128) float s[8192];
  for (int i = threadIdx.x; i < 8192; i += 32) s[i] = static_cast<float>(i);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x >= lanes) return;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   reinterpret_cast<char*>(out) + threadIdx.x * bytes),
               "r"(shared_address(s) + threadIdx.x * bytes), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}

// Sixteen phases at which the first lanes arrive and all wait.
__global__ void arrivals(float* out, int lanes) {
  __shared__ std::uint64_t barrier;
  const unsigned at = shared_address(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(lanes) : "memory");
  __syncthreads();
  for (unsigned i = 0; i < 16; ++i) {
    if (threadIdx.x < lanes) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    wait(at, i & 1);
    __syncwarp();
  }
  out[threadIdx.x] = 1;
}

namespace {

using Place = int (*)(int lane, int bytes);
struct Pattern {
  const char* name;
  Place source, target, read;
};
int side_by_side(int lane, int bytes) { return lane * bytes; }
int all(int, int bytes) { return bytes; }
int none(int, int) { return 0; }
template <int length>  // lanes a row, far apart in global memory
int rows(int lane, int bytes) {
  return lane / length * 4096 + lane % length * bytes;
}

constexpr Pattern kPatterns[] = {
    {"side by side", side_by_side, side_by_side, all},
    {"rows of 16", rows<16>, side_by_side, all},
    {"rows of 8", rows<8>, side_by_side, all},
    {"rows of 4", rows<4>, side_by_side, all},
    {"every second", [](int lane, int bytes) { return 2 * lane * bytes; }, side_by_side, all},
    {"to every second", side_by_side, [](int lane, int bytes) { return 2 * lane * bytes; }, all},
    {"to columns", side_by_side, [](int lane, int) { return 128 * lane; }, all},
    {"to padded columns", side_by_side, [](int lane, int bytes) { return (128 + bytes) * lane; }, all},
    {"from pairs", [](int lane, int bytes) { return lane / 2 * bytes; }, side_by_side, all},
    {"swizzled", rows<8>, [](int lane, int bytes) { return (lane ^ lane / 8) * bytes; }, all},
    {"nothing read", side_by_side, side_by_side, none},
};

template <int bytes, bool through_l1>
void patterns(const char* in, float* out, Places* places) {
  for (const Pattern& each : kPatterns) {
    Places host;
    for (int lane = 0; lane < 32; ++lane) {
      host.source[lane] = each.source(lane, bytes);
      host.target[lane] = each.target(lane, bytes);
      host.read[lane] = each.read(lane, bytes);
    }
    must(cudaMemcpy(places, &host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");
    char label[64];
    std::snprintf(label, sizeof label, "cp.async.%s, %d bytes, %s", through_l1 ? "ca" : "cg", bytes, each.name);
    run(label, copies<bytes, through_l1>, 1, 32, in, out, places);
  }
}

}  // namespace

int main() {
  char* in;
  float* out;
  Places* places;
  must(cudaMalloc(&in, 1 << 21), "cudaMalloc");
  must(cudaMalloc(&out, 1 << 16), "cudaMalloc");
  must(cudaMalloc(&places, sizeof(Places)), "cudaMalloc");
  must(cudaMemset(in, 0, 1 << 21), "cudaMemset");
  patterns<4, true>(in, out, places);
  patterns<8, true>(in, out, places);
  patterns<16, true>(in, out, places);
  patterns<16, false>(in, out, places);
  run("bulk loads, 1024 bytes", bulk_loads, 1, 32, in, out, 1024, 1);
  run("bulk loads, 32 of 128 bytes", bulk_loads, 1, 32, in, out, 128, 32);
  run("bulk stores, 1024 bytes", bulk_stores, 1, 32, out, 1024, 1);
  run("bulk stores, 8 of 128 bytes", bulk_stores, 1, 32, out, 128, 8);
  run("arrivals of one lane", arrivals, 1, 32, out, 1);
  run("arrivals of 32 lanes", arrivals, 1, 32, out, 32);
}
