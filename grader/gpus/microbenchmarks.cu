// Rates and latencies of a GPU, one mechanism each, for the model of time: `warpgrade calibrate --model`.
//
//   microbenchmarks [REPEATS]     one JSON line a measurement; the median of REPEATS
//
// A latency is the time of one thread that loads through a ring of addresses, by clock64(). A rate is the
// time of a launch that fills the GPU with one kind of work, by events, in cycles of the clock that `clock`
// measures.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "microbenchmark_kernels.cuh"

namespace {

class Measure {
 public:
  explicit Measure(int repeats) : repeats_(repeats) {
    cudaEventCreate(&start_);
    cudaEventCreate(&stop_);
    cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, 0);
    cudaMalloc(&cycles_, 1 << 20);
  }

  int sms() const { return sms_; }
  long long* cycles() const { return cycles_; }

  // The same work until the clock has risen: a card that idles runs slower.
  template <class Launch>
  double milliseconds(Launch launch) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(repeats_ > 1 ? 10 : 0);
    do {
      launch();
      cudaDeviceSynchronize();
    } while (std::chrono::steady_clock::now() < until);
    std::vector<float> times;
    for (int i = 0; i < repeats_; ++i) {
      float taken = 0;
      cudaEventRecord(start_);
      launch();
      cudaEventRecord(stop_);
      if (cudaDeviceSynchronize() != cudaSuccess) std::exit(4);
      cudaEventElapsedTime(&taken, start_, stop_);
      times.push_back(taken);
    }
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]);
  }

  // The cycles that a launch wrote for its blocks: their mean, median of the repeats.
  template <class Launch>
  double counted(int blocks, Launch launch) {
    std::vector<double> means;
    for (int i = 0; i <= repeats_; ++i) {
      launch();
      std::vector<long long> found(blocks);
      cudaMemcpy(found.data(), cycles_, sizeof(long long) * blocks, cudaMemcpyDeviceToHost);
      double sum = 0;
      for (const long long each : found) sum += static_cast<double>(each);
      if (i > 0) means.push_back(sum / blocks);
    }
    std::sort(means.begin(), means.end());
    return means[means.size() / 2];
  }

  void say(const char* name, long long at, double value, const char* unit) const {
    std::printf("{\"name\": \"%s\", \"at\": %lld, \"value\": %.6g, \"unit\": \"%s\"}\n", name, at, value,
                unit);
    std::fflush(stdout);
  }

 private:
  int repeats_, sms_ = 0;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  long long* cycles_ = nullptr;
};

void clock_and_launches(Measure& measure) {
  auto* const taken = reinterpret_cast<unsigned long long*>(measure.cycles());
  unsigned long long found[2] = {1, 1};
  for (int i = 0; i < 3; ++i) spin<<<measure.sms(), 32>>>(20'000'000, taken);
  cudaMemcpy(found, taken, sizeof found, cudaMemcpyDeviceToHost);
  measure.say("clock", 0, 1e3 * static_cast<double>(found[1]) / static_cast<double>(found[0]), "MHz");
  measure.say("launch", 0, 1e3 * measure.milliseconds([] { nothing<<<1, 32>>>(); }), "us");
  for (const int threads : {32, 256, 1024})
    measure.say("empty blocks", threads,
                1e3 * measure.milliseconds([=] { nothing<<<1 << 20, threads>>>(); }) / (1 << 20), "us/block");
  // One block at a time on each SM: the next one starts when it has ended.
  constexpr int most_shared = 200 << 10;
  constexpr int waves = 64;
  cudaFuncSetAttribute(little, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared);
  for (const int threads : {32, 128, 256, 1024}) {
    const int blocks = measure.sms() * waves;
    long long* const out = measure.cycles();
    measure.say("block start", threads,
                1e3 * measure.milliseconds([=] { little<<<blocks, threads, most_shared>>>(out); }) / waves,
                "us/wave");
    measure.say("blocks side by side", threads,
                1e3 * measure.milliseconds([=] { little<<<blocks * 8, threads>>>(out); }) / waves / 8,
                "us/wave");
  }
}

void latencies(Measure& measure, Word* ring) {
  constexpr int loads = 2048;
  long long* const cycles = measure.cycles();
  measure.say("shared latency", 0,
              measure.counted(1, [=] { follow_shared<<<1, 32>>>(loads, cycles); }) / loads, "cycles");
  for (const Word kib : {16, 128, 1024, 8192, 32768, 131072, 1048576}) {
    const Word steps = kib * KIB / 32;  // lines
    lay_ring<<<1024, 256>>>(ring, steps, 32);
    measure.say(
        "latency", kib,
        measure.counted(1, [=] { follow<false><<<1, 32>>>(ring, 32, 0, loads, steps - 1, cycles); }) / loads,
        "cycles");
  }
  const Word steps = 16 * MIB / 32;
  lay_ring<<<1024, 256>>>(ring, steps, 32);
  for (const int warps : {1, 4, 8, 16, 32, 64}) {  // of each SM, each with one load under way
    const int blocks = measure.sms() * std::max(1, warps / 16), threads = std::min(warps, 16) * 32;
    measure.say(
        "latency under load", warps,
        measure.counted(blocks,
                        [=] { follow<true><<<blocks, threads>>>(ring, 32, 977, loads, steps - 1, cycles); }) /
            loads,
        "cycles");
  }
  for (const int warps : {1, 4, 8, 16, 32})
    measure.say("barrier", warps, measure.counted(1, [=] { meet<<<1, warps * 32>>>(loads, cycles); }) / loads,
                "cycles");
}

void arithmetic(Measure& measure, void* out) {
  constexpr int times = 4096;
  const int blocks = measure.sms() * 2, threads = 1024;
  const double warps = 2.0 * threads / 32 * times * 8;  // instructions of an SM
  const auto say = [&](const char* name, double ms) {
    measure.say(name, 0, ms * 1e3 / warps, "us/instruction of an SM");
  };
  say("fp32",
      measure.milliseconds([=] { multiply_add<<<blocks, threads>>>(times, static_cast<float*>(out)); }));
  say("fp64",
      measure.milliseconds([=] { multiply_add<<<blocks, threads>>>(times, static_cast<double*>(out)); }));
  say("multiply",
      measure.milliseconds([=] { multiply_add<<<blocks, threads>>>(times, static_cast<Word*>(out)); }));
  say("integer pair",
      measure.milliseconds([=] { logic<<<blocks, threads>>>(times, static_cast<Word*>(out)); }));
  say("special",
      measure.milliseconds([=] { special<<<blocks, threads>>>(times, static_cast<float*>(out)); }));
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  const int sms = measure.sms();
  long long* const cycles = measure.cycles();
  if (major >= 8)
    measure.say(
        "mma", 0,
        measure.counted(sms, [=] { multiply_matrices<<<sms, threads>>>(times, cycles); }) / (warps / 2),
        "cycles/instruction of an SM");
  for (const int few : {1, 8, 16, 33, 66, sms, 2 * sms, 3 * sms, 4 * sms, 8 * sms, 9 * sms})
    measure.say("blocks of multiply-adds", few,
                measure.milliseconds([=] { multiply_add<<<few, 1024>>>(1 << 14, static_cast<float*>(out)); }),
                "ms");
}

void shared_memory(Measure& measure, float* out) {
  constexpr int times = 1024;
  const int blocks = measure.sms() * 2, threads = 1024;
  const double loads = 2.0 * threads / 32 * times * 8;  // of an SM
  const auto say = [&](const char* name, int apart, double ms) {
    measure.say(name, apart, ms * 1e3 / loads, "us/load of an SM");
  };
  for (const int apart : {0, 1, 2, 32})
    say("shared 4", apart,
        measure.milliseconds([=] { load_shared<float><<<blocks, threads, 16384>>>(times, apart, out); }));
}

void caches_and_memory(Measure& measure, Word* memory) {
  auto* const lines = reinterpret_cast<float4*>(memory);
  float4* const other = lines + (512 * MIB / 4);
  auto* const words = reinterpret_cast<float*>(memory);
  const int blocks = measure.sms() * 8;
  const auto rate = [&](const char* name, Word mib, double bytes, double ms) {
    measure.say(name, mib, bytes / ms / 1e6, "GB/s");
  };
  for (const Word mib : {4, 16, 32, 1024}) {
    const std::size_t count = static_cast<std::size_t>(mib) * MIB / 4;
    const double bytes = 16.0 * static_cast<double>(count);
    rate("read", mib, bytes,
         measure.milliseconds([=] { read_lines<true><<<blocks, 256>>>(lines, count, other); }));
    rate("write", mib, bytes, measure.milliseconds([=] { write_lines<<<blocks, 256>>>(lines, count); }));
    rate("write sectors", mib, bytes,
         measure.milliseconds([=] { write_sectors<<<blocks, 256>>>(words, count / 2); }));
  }
  constexpr int rounds = 256;
  const int own = measure.sms() * 2;
  rate("read own", 0, own * 1024.0 * 32 * rounds,
       measure.milliseconds([=] { read_own_lines<<<own, 1024>>>(lines, rounds, other); }));
  const std::size_t half = 512 * MIB / 4;
  rate("copy", 1024, 32.0 * static_cast<double>(half),
       measure.milliseconds([=] { copy_lines<<<blocks, 256>>>(lines, other, half); }));
  for (const Word mib : {4, 16, 64, 256, 1024, 2048}) {
    const double loads = blocks * 256.0 * 64;
    measure.say("gather", mib, loads / measure.milliseconds([=] {
      gather<<<blocks, 256>>>(words, mib * MIB - 1, 64, words + 7);
    }) / 1e6,
                "G/s");
  }
}

void atomics(Measure& measure, Word* words) {
  constexpr int lanes = 1 << 22;
  auto* const floats = reinterpret_cast<float*>(words);
  for (const Word bits : {0, 3, 6, 10, 14, 20}) {
    const Word mask = (1u << bits) - 1;
    const auto say = [&](const char* name, double ms) {
      measure.say(name, mask + 1, ms * 1e6 / lanes, "ns/lane");
    };
    say("spread integers", measure.milliseconds([=] { count_on<<<lanes / 256, 256>>>(words, mask, false); }));
    say("integers beside", measure.milliseconds([=] { count_on<<<lanes / 256, 256>>>(words, mask, true); }));
    say("spread floats", measure.milliseconds([=] { add_on<<<lanes / 256, 256>>>(floats, mask); }));
  }
}

}  // namespace

int main(int count, char** words) {
  Measure measure(count > 1 ? std::atoi(words[1]) : 11);
  Word* memory = nullptr;
  if (cudaMalloc(&memory, 2048ull << 20) != cudaSuccess) return 3;
  cudaMemset(memory, 0, 2048ull << 20);
  clock_and_launches(measure);
  latencies(measure, memory);
  arithmetic(measure, memory);
  shared_memory(measure, reinterpret_cast<float*>(memory));
  cudaMemset(memory, 0, 2048ull << 20);
  caches_and_memory(measure, memory);
  atomics(measure, memory);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorName(error));
    return 4;
  }
  return 0;
}
