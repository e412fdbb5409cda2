// The kernels of microbenchmarks.cu: each keeps one mechanism of a GPU busy.
#pragma once
#include <cstddef>

namespace {

using Word = unsigned;
constexpr Word KIB = 1024 / sizeof(Word);
constexpr Word MIB = 1024 * KIB;
constexpr Word MULTIPLIER = 1664525, ADDEND = 1013904223;  // of a generator that meets every number below 2^n

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL (gridDim.x * blockDim.x)

// ---- the clock ----

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin(long long cycles, unsigned long long* taken) {
  const unsigned long long first = nanoseconds();
  const long long from = clock64();
  while (clock64() - from < cycles) {
  }
  taken[0] = nanoseconds() - first;
  taken[1] = clock64() - from;
}

// ---- latencies: one thread, or warps that each load one line at a time ----

__global__ void lay_ring(Word* ring, Word steps, Word apart) {  // steps: a power of two
  for (Word i = INDEX; i < steps; i += ALL)
    ring[static_cast<std::size_t>(i) * apart] = (i * MULTIPLIER + ADDEND) & (steps - 1);
}

template <bool PAST_L1>
__global__ void follow(const Word* ring, Word apart, Word spread, int loads, Word mask, long long* cycles) {
  const Word warp = INDEX / 32;
  Word at = (warp * spread) & mask;
  const long long from = clock64();
  for (int i = 0; i < loads; ++i) {
    const Word* const next = ring + static_cast<std::size_t>(at) * apart;
    at = PAST_L1 ? __ldcg(next) : *next;
  }
  const long long taken = clock64() - from;
  if (threadIdx.x == 0) cycles[blockIdx.x] = taken + (at == ~0u);
}

__global__ void follow_shared(int loads, long long* cycles) {
  __shared__ Word ring[1024];
  for (Word i = threadIdx.x; i < 1024; i += blockDim.x) ring[i] = (i * MULTIPLIER + ADDEND) & 1023;
  __syncthreads();
  Word at = 0;
  const long long from = clock64();
  for (int i = 0; i < loads; ++i) at = ring[at];
  const long long taken = clock64() - from;
  if (threadIdx.x == 0) cycles[0] = taken + (at == ~0u);
}

__global__ void meet(int times, long long* cycles) {
  const long long from = clock64();
  for (int i = 0; i < times; ++i) __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - from;
}

// ---- rates ----

template <class Value>
__global__ void multiply_add(int times, Value* out) {  // eight chains a thread
  Value sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = static_cast<Value>(threadIdx.x + i);
  const Value factor = static_cast<Value>(blockIdx.x + 3);
  for (int j = 0; j < times; ++j)
    for (int i = 0; i < 8; ++i) sums[i] = sums[i] * factor + static_cast<Value>(1);
  Value all = 0;
  for (const Value sum : sums) all += sum;
  if (all == static_cast<Value>(12345)) *out = all;
}

__global__ void logic(int times, Word* out) {  // shifts and exclusive ors: the integer units
  Word values[8];
  for (int i = 0; i < 8; ++i) values[i] = threadIdx.x * 77 + i;
  for (int j = 0; j < times; ++j)
    for (int i = 0; i < 8; ++i) values[i] = __funnelshift_l(values[i], values[i], 5) ^ j;
  Word all = 0;
  for (const Word value : values) all ^= value;
  if (all == 12345) *out = all;
}

__global__ void special(int times, float* out) {
  float values[8];
  for (int i = 0; i < 8; ++i) values[i] = threadIdx.x + i + 1.0f;
  for (int j = 0; j < times; ++j)
    for (int i = 0; i < 8; ++i) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(values[i]));
  float all = 0;
  for (const float value : values) all += value;
  if (all == 12345) *out = all;
}

// Products of 16×16 and 16×8 halves with single-precision sums, on tensor cores: eight chains a warp. By the
// clock, which sinks under this work.
__global__ void multiply_matrices(int times, long long* cycles) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const Word ones = 0x3c003c00u + threadIdx.x % 8;  // two halves near 1
  float sums[8][4] = {};
  __syncthreads();
  const long long from = clock64();
  for (int j = 0; j < times; ++j)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
          "{%0, %1, %2, %3};"
          : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
          : "r"(ones));
  __syncthreads();
  const long long taken = clock64() - from;
  float all = 0;
  for (const auto& sum : sums) all += sum[0] + sum[1] + sum[2] + sum[3];
  if (threadIdx.x == 0) cycles[blockIdx.x] = taken + (all == 12345);
#endif
}

// Each load of a lane: its own place, in rows `apart` words long. Independent loads of one line of code.
template <class Value>
__global__ void load_shared(int times, int apart, float* out) {
  extern __shared__ float shared[];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) shared[i] = static_cast<float>(i);
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < times; ++j)
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const Value value = *reinterpret_cast<const volatile Value*>(
          &shared[(threadIdx.x % 32 * apart + i * 128 + j % 2 * 1024) % 4096]);
      sum += *reinterpret_cast<const float*>(&value);
    }
  if (sum == 12345) *out = sum;
}

template <bool PAST_L1>
__global__ void read_lines(const float4* from, std::size_t count, float4* out) {
  float4 sum = {0, 0, 0, 0};
  for (std::size_t i = INDEX; i < count; i += ALL) {
    const float4 value = PAST_L1 ? __ldcg(from + i) : from[i];
    sum.x += value.x + value.y + value.z + value.w;
  }
  if (sum.x == 12345) *out = sum;
}

__global__ void read_own_lines(const float4* from, int rounds,
                               float4* out) {  // 32 KiB a block, again and again
  float4 sum = {0, 0, 0, 0};
  const float4* const own = from + blockIdx.x * 2048;
  for (int j = 0; j < rounds; ++j) {
    const float4 one = own[(threadIdx.x + j * 32) % 2048], other = own[(threadIdx.x + 1024 + j * 32) % 2048];
    sum.x += one.x + other.y;
  }
  if (sum.x == 12345) *out = sum;
}

__global__ void write_lines(float4* to, std::size_t count) {
  for (std::size_t i = INDEX; i < count; i += ALL) to[i] = make_float4(1, 2, 3, 4);
}

__global__ void write_sectors(float* to, std::size_t count) {  // one word of each sector
  for (std::size_t i = INDEX; i < count; i += ALL) to[i * 8] = 1.0f;
}

__global__ void copy_lines(const float4* from, float4* to, std::size_t count) {
  for (std::size_t i = INDEX; i < count; i += ALL) to[i] = from[i];
}

__global__ void gather(const float* from, Word mask, int loads, float* out) {  // one word anywhere a lane
  float sum = 0;
  Word at = INDEX * 2654435761u;
  for (int i = 0; i < loads; ++i) {
    at = at * MULTIPLIER + ADDEND;
    sum += __ldcg(from + (at >> 3 & mask));
  }
  if (sum == 12345) *out = sum;
}

__global__ void count_on(Word* words, Word mask, bool beside) {
  const Word at = beside ? INDEX : INDEX * 2654435761u >> 7;
  atomicAdd(words + (at & mask), 1u + threadIdx.x);
}
__global__ void add_on(float* words, Word mask) {
  atomicAdd(words + (INDEX * 2654435761u >> 7 & mask), 1.5f);
}

__global__ void nothing() {}

__global__ void little(long long* out) {  // what a block does before it works: reads its place, loads, stores
  const long long now = clock64();
  if (out[blockIdx.x & 1023] == 12345) out[0] = now;
}

}  // namespace
