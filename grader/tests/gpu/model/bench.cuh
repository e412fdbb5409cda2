// Times launches by events, one JSON line each. On the emulator the times say nothing; its counters are read.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Bench {
 public:
  explicit Bench(int repeats) : repeats_(repeats) {
    cudaEventCreate(&start_);
    cudaEventCreate(&stop_);
  }

  // `count` floats in (-0.5, 0.5) on the device.
  float* values(std::size_t count) {
    float* device = nullptr;
    if (cudaMalloc(&device, count * sizeof(float)) != cudaSuccess) std::exit(3);
    std::vector<float> host(std::min<std::size_t>(count, 1 << 20));
    for (float& value : host) {
      state_ = state_ * 1664525u + 1013904223u;
      value = static_cast<float>(state_ >> 8) / 16777216.0f - 0.5f;
    }
    for (std::size_t at = 0; at < count; at += host.size())
      cudaMemcpy(device + at, host.data(), std::min(host.size(), count - at) * sizeof(float),
                 cudaMemcpyHostToDevice);
    return device;
  }

  template <class Launch>
  void time(const char* name, Launch launch) {
    if (repeats_ > 1) warm_up(launch);
    std::vector<float> times;
    for (int i = 0; i < repeats_; ++i) {
      cudaEventRecord(start_);
      launch();
      cudaEventRecord(stop_);
      const cudaError_t error = cudaDeviceSynchronize();
      if (error != cudaSuccess) {
        std::printf("{\"kernel\": \"%s\", \"error\": \"%s\"}\n", name, cudaGetErrorName(error));
        failed_ = 1;
        return;
      }
      float milliseconds = 0;
      cudaEventElapsedTime(&milliseconds, start_, stop_);
      times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"kernel\": \"%s\", \"milliseconds\": %.6f}\n", name,
                static_cast<double>(times[times.size() / 2]));
    std::fflush(stdout);
  }

  int failed() const { return failed_; }

 private:
  // A card that has idled runs slower at first, which matters to launches of microseconds.
  template <class Launch>
  static void warm_up(Launch launch) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::chrono::steady_clock::now() < until) {
      launch();
      cudaDeviceSynchronize();
    }
  }

  int repeats_, failed_ = 0;
  unsigned state_ = 1;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};
