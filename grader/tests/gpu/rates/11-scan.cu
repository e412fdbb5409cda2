// The scan and the compaction of lab 11 against CUB's DeviceScan and DeviceSelect: 0.9 of the rate of the first, 0.7 of
// that of the second.
#include "../../../../solutions/11-scan/kernel.cu"
#include "rate.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstring>

struct IsAboveZero {
  __device__ bool operator()(float number) const { return number > 0.0f; }
};

// Whether the first `count` elements of two arrays are the same bits.
template <class T>
bool equal(const T* one, const T* other, std::size_t count) {
  std::vector<T> left(count), right(count);
  check(cudaMemcpy(left.data(), one, count * sizeof(T), cudaMemcpyDeviceToHost), "copying");
  check(cudaMemcpy(right.data(), other, count * sizeof(T), cudaMemcpyDeviceToHost), "copying");
  const bool same = std::memcmp(left.data(), right.data(), count * sizeof(T)) == 0;
  if (!same) std::printf("the results differ\n");
  return same;
}

int main() {
  Rate rate;
  bool reached = true;
  char what[64];
  for (const int n : {1 << 26, 1 << 28}) {
    // Whole numbers whose sums are exact in any order; two of three are above 0 in the mixed ones.
    std::vector<float> rare(n), mixed(n);
    for (int i = 0; i < n; ++i) {
      rare[i] = static_cast<float>(i % 32 == 0);
      mixed[i] = static_cast<float>(i % 3);
    }
    const float *numbers = device_copy(rare), *to_keep = device_copy(mixed);
    float *ours = device_array<float>(n), *theirs = device_array<float>(n);
    int *our_count = device_array<int>(1), *their_count = device_array<int>(1);
    const int tiles = (n + TILE - 1) / TILE;
    unsigned long long* words = device_array<unsigned long long>(tiles + 1);
    const auto clear = [&] { cudaMemsetAsync(words, 0, (tiles + 1) * sizeof *words); };
    std::size_t for_scan = 0, for_select = 0;
    cub::DeviceScan::InclusiveSum(nullptr, for_scan, numbers, theirs, n);
    cub::DeviceSelect::If(nullptr, for_select, to_keep, theirs, their_count, n, IsAboveZero{});
    char* scratch = device_array<char>(std::max(for_scan, for_select));

    const auto scan = [&] {
      clear();
      scan_all<<<tiles, THREADS>>>(numbers, ours, n, words);
    };
    const auto library_scan = [&] { cub::DeviceScan::InclusiveSum(scratch, for_scan, numbers, theirs, n); };
    std::snprintf(what, sizeof what, "scan of %d floats", n);
    reached = rate.compare(what, 8.0 * n, 0.9, scan, library_scan) && reached;
    reached = equal(ours, theirs, n) && reached;

    const auto select = [&] {
      clear();
      compact_positive<<<tiles, THREADS>>>(to_keep, ours, our_count, n, words);
    };
    const auto library_select = [&] {
      cub::DeviceSelect::If(scratch, for_select, to_keep, theirs, their_count, n, IsAboveZero{});
    };
    std::snprintf(what, sizeof what, "compaction of %d floats", n);
    reached = rate.compare(what, (4.0 + 4.0 * 2 / 3) * n, 0.7, select, library_select) && reached;
    reached = equal(our_count, their_count, 1) && equal(ours, theirs, n / 3 * 2) && reached;
    for (const void* each : {static_cast<const void*>(numbers), static_cast<const void*>(to_keep),
                             static_cast<const void*>(ours), static_cast<const void*>(theirs),
                             static_cast<const void*>(our_count), static_cast<const void*>(their_count),
                             static_cast<const void*>(words), static_cast<const void*>(scratch)})
      cudaFree(const_cast<void*>(each));
  }
  return reached ? 0 : 1;
}
