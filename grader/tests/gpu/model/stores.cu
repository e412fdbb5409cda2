// What loads and stores of each stride cost L2: one JSON line each, the time of the requests of warps that
// its name says. The model's l2_write_line, l2_write_sector, l2_write_whole and l2_lines come from these.
//
//   stores [REPEATS]
#include "bench.cuh"

namespace {

constexpr int kBlocks = 8, kThreads = 256, kRounds = 256,
              kWords = 1 << 22;  // blocks: an SM; words: 16 MiB, in L2

// The word of this lane in a round: each warp has 32 × stride words, and all words of the array take turns.
__device__ unsigned place(unsigned stride, unsigned round) {
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / 32, warps = gridDim.x * kThreads / 32;
  return (round * warps + warp) % (kWords / (32 * stride)) * 32 * stride + threadIdx.x % 32 * stride;
}

template <class Word>
__global__ void store(int stride, float* words) {
  for (int round = 0; round < kRounds; ++round)
    *reinterpret_cast<Word*>(words + place(stride, round)) = Word{};
}

__global__ void load(int stride, float* words) {
  float sum = 0;
  for (int round = 0; round < kRounds; ++round) sum += __ldcg(words + place(stride, round));
  if (sum == 1.25f) words[0] = sum;  // keeps the loads
}

}  // namespace

int main(int count, char** words) {
  Bench bench(count > 1 ? std::atoi(words[1]) : 7);
  cudaDeviceProp card;
  if (cudaGetDeviceProperties(&card, 0) != cudaSuccess) return 3;
  float* memory = bench.values(kWords);
  const int blocks = kBlocks * card.multiProcessorCount;
  char name[64];
  const auto run = [&](const char* what, int stride, auto kernel) {
    std::snprintf(name, sizeof name, "%s, stride %d, %d requests an SM", what, stride,
                  kBlocks * kThreads / 32 * kRounds);
    bench.time(name, [&] { kernel<<<blocks, kThreads>>>(stride, memory); });
  };
  for (const int stride : {1, 2, 3, 4, 6, 8, 9, 12, 16, 17, 24, 32, 64}) {
    run("words stored", stride, store<float>);
    if (stride % 4 == 0) run("float4 stored", stride, store<float4>);
    run("words loaded", stride, load);
  }
  return bench.failed();
}
