// The histogram of lab 06 against CUB's DeviceHistogram: 0.8 of its rate, for even bytes and for skewed ones.
#include "../../../../solutions/06-atomics/kernel.cu"
#include "rate.cuh"

#include <cub/device/device_histogram.cuh>
#include <cstdint>

int main() {
  constexpr int n = 1 << 28;
  Rate rate;
  auto* counts = device_array<unsigned>(BINS);
  auto* library_counts = device_array<int>(BINS);
  bool reached = true;
  for (const bool skewed : {false, true}) {
    std::vector<std::uint8_t> bytes(n);
    std::uint64_t state = 1;
    for (std::uint8_t& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = skewed && state >> 60 != 0 ? 77 : static_cast<std::uint8_t>(state >> 40);
    }
    const std::uint8_t* in = device_copy(bytes);
    std::size_t needed = 0;
    cub::DeviceHistogram::HistogramEven(nullptr, needed, in, library_counts, BINS + 1, 0, BINS, n);
    char* scratch = device_array<char>(needed);
    const auto solution = [&] { histogram<<<(n + BYTES - 1) / BYTES, THREADS>>>(in, counts, n); };
    const auto library = [&] {
      cub::DeviceHistogram::HistogramEven(scratch, needed, in, library_counts, BINS + 1, 0, BINS, n);
    };
    reached = rate.compare(skewed ? "histogram of skewed bytes" : "histogram of even bytes", n, 0.8, solution, library) &&
              reached;
  }
  return reached ? 0 : 1;
}
