// Times a solution's launches against those of a library, and holds their ratio against what the course
// promises.
//
// Rounds alternate the order of the two. A memset larger than L2 evicts the arrays and keeps the GPU busy
// until the timed launch is queued: without it, the first launch after a pause takes longer.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::printf("%s while %s\n", cudaGetErrorName(error), doing);
  std::exit(3);
}

template <class T>
T* device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "allocating");
  check(cudaMemset(memory, 0, count * sizeof(T)), "clearing");
  return static_cast<T*>(memory);
}

template <class T>
T* device_copy(const std::vector<T>& host) {
  T* device = device_array<T>(host.size());
  check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "copying");
  return device;
}

// From -1 to 1, the same on each run. GPUs take less power, and so less time, for zeros.
template <class T>
std::vector<T> random_numbers(std::size_t count) {
  std::vector<T> numbers(count);
  unsigned state = 1;
  for (T& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<T>(static_cast<float>(static_cast<int>(state >> 20) - 2048) / 2048.0f);
  }
  return numbers;
}

// Prints the first element where two arrays on the device differ by more than `tolerance`, and returns
// whether none does.
inline bool is_same(const float* one, const float* other, std::size_t count, double tolerance) {
  std::vector<float> ours(count), theirs(count);
  check(cudaMemcpy(ours.data(), one, count * sizeof(float), cudaMemcpyDeviceToHost), "copying results");
  check(cudaMemcpy(theirs.data(), other, count * sizeof(float), cudaMemcpyDeviceToHost), "copying results");
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::abs(ours[i] - theirs[i]) <= tolerance)) {
      std::printf("element %zu is %g; the library's is %g\n", i, ours[i], theirs[i]);
      return false;
    }
  return true;
}

class Rate {
 public:
  Rate() {
    check(cudaEventCreate(&start_), "making an event");
    check(cudaEventCreate(&stop_), "making an event");
    flushed_ = device_array<char>(FLUSHED);
  }

  // Prints one line and returns whether the solution reaches `promised` of the library's rate.
  // `bytes`: what a launch must move at least.
  template <class Solution, class Library>
  bool compare(const char* what, double bytes, double promised, Solution solution, Library library) {
    std::vector<float> ours, theirs;
    for (int round = 0; round < ROUNDS; ++round) {
      if (round % 2) theirs.push_back(time(library));
      ours.push_back(time(solution));
      if (round % 2 == 0) theirs.push_back(time(library));
    }
    const double mine = median(ours), other = median(theirs);
    std::printf("%s: %.4f ms, %.0f GB/s, %.3f of the library's %.4f ms; promised %.2f\n", what, mine,
                bytes / mine / 1e6, other / mine, other, promised);
    return other / mine >= promised;
  }

 private:
  static constexpr int ROUNDS = 40;
  static constexpr std::size_t FLUSHED = std::size_t{1} << 28;

  template <class Launch>
  float time(Launch launch) {
    check(cudaMemset(flushed_, 1, FLUSHED), "flushing L2");
    check(cudaEventRecord(start_), "starting the clock");
    launch();
    check(cudaEventRecord(stop_), "stopping the clock");
    check(cudaDeviceSynchronize(), "running");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading the clock");
    return milliseconds;
  }

  static double median(std::vector<float> times) {
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]);
  }

  char* flushed_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};
