// What the model of time was asked where it simulates products: loads that miss L1, on one SM and on all, and
// atomics in shared memory. One JSON line each; docs/performance-model.md, "Tiles that are only filled".
//
//   misses [REPEATS]
#include <cstdint>

#include "bench.cuh"

namespace {

constexpr unsigned kLines = 1 << 17;  // of 128 bytes, 16 MiB: in L2
constexpr int kAhead = 8, kTurns = 1000;

// Each warp loads `lines` times 128 bytes, as rows of WORDS words that lie in a line of their own each.
template <int WORDS>
__global__ void misses(int lines, const uint32_t* words, uint32_t* out) {
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32 * gridDim.x;
  const unsigned first = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  uint32_t sum = 0;
  for (int k = 0; k < lines; k += kAhead) {
    uint32_t found[kAhead];
#pragma unroll
    for (unsigned i = 0; i < kAhead; ++i) {
      const unsigned line = (first + (k + i) * warps) * (32 / WORDS) + lane / WORDS;
      found[i] = __ldca(words + line % kLines * 32 + lane % WORDS);
    }
#pragma unroll
    for (unsigned i = 0; i < kAhead; ++i) sum += found[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// SAME lanes of each warp meet on a word.
template <int SAME>
__global__ void additions(int turns, uint32_t* out) {
  __shared__ uint32_t sums[32 * 64];
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  uint32_t* const mine = sums + threadIdx.x / 32 * 64 + threadIdx.x % 32 / SAME;
  for (int k = 0; k < turns; ++k)
#pragma unroll
    for (int i = 0; i < kAhead; ++i) atomicAdd(mine + i % 2 * 32, static_cast<uint32_t>(k) + threadIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sums[threadIdx.x];
}

}  // namespace

int main(int count, char** words) {
  Bench bench(count > 1 ? std::atoi(words[1]) : 21);
  cudaDeviceProp card;
  if (cudaGetDeviceProperties(&card, 0) != cudaSuccess) return 3;
  const auto array = [&](std::size_t size) { return reinterpret_cast<uint32_t*>(bench.values(size)); };
  uint32_t *memory = array(kLines * 32), *out = array(1 << 20);
  char name[80];
  const auto load = [&](int row, auto kernel, int sms) {
    for (const int lines : {4096, 8192}) {  // their difference is without the start and the end of the launch
      std::snprintf(name, sizeof name, "rows of %d words, %d SMs, %d requests a warp of 32", row, sms, lines);
      bench.time(name, [&] { kernel<<<sms, 1024>>>(lines, memory, out); });
    }
  };
  for (const int sms : {1, card.multiProcessorCount / 4, card.multiProcessorCount})
    load(32, misses<32>, sms), load(16, misses<16>, sms), load(8, misses<8>, sms);
  const auto add = [&](int same, auto kernel) {
    for (const int turns : {kTurns, 2 * kTurns}) {
      std::snprintf(name, sizeof name, "%d lanes a word, %d atomics an SM", same, turns * kAhead * 32);
      bench.time(name, [&] { kernel<<<card.multiProcessorCount, 1024>>>(turns, out); });
    }
  };
  add(1, additions<1>), add(2, additions<2>), add(4, additions<4>), add(8, additions<8>);
  add(32, additions<32>);
  return bench.failed();
}
