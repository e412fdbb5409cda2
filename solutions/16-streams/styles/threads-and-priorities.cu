// Two host threads, streams of unlike priorities, objects that give back what they hold. Loses: graph.
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "npy.hpp"

inline void must(cudaError_t code, int line) {
  if (code != cudaSuccess)
    throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorName(code));
}
#define MUST(call) must((call), __LINE__)

struct Stream {
  cudaStream_t s{};
  explicit Stream(int priority) { MUST(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, priority)); }
  ~Stream() { cudaStreamDestroy(s); }
};
struct Event {
  cudaEvent_t e{};
  explicit Event(unsigned flags = cudaEventDisableTiming) { MUST(cudaEventCreateWithFlags(&e, flags)); }
  ~Event() { cudaEventDestroy(e); }
};
template <class T>
struct DeviceBuffer {
  T* p{};
  explicit DeviceBuffer(size_t n) { MUST(cudaMalloc(&p, n * sizeof(T))); }
  ~DeviceBuffer() { cudaFree(p); }
};
template <class T>
struct HostBuffer {
  T* p{};
  explicit HostBuffer(size_t n) { MUST(cudaHostAlloc(&p, n * sizeof(T), cudaHostAllocDefault)); }
  ~HostBuffer() { cudaFreeHost(p); }
};

__global__ void difference(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out,
                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int d = b[i] - a[i];
  out[i] = d < 0 ? -d : d;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    std::vector<std::size_t> shape;
    const auto input = read_npy<int>(argv[1], &shape);
    const int frames = int(shape[0]), pixels = int(shape[1]);
    HostBuffer<int> film(input.size()), moved(input.size());
    for (size_t i = 0; i < input.size(); ++i) film.p[i] = input[i];
    constexpr int S = 4;
    std::vector<std::unique_ptr<DeviceBuffer<int>>> frame, result;
    std::vector<std::unique_ptr<Event>> arrived, computed, left;
    for (int s = 0; s < S; ++s) {
      frame.push_back(std::make_unique<DeviceBuffer<int>>(pixels));
      result.push_back(std::make_unique<DeviceBuffer<int>>(pixels));
      for (auto* list : {&arrived, &computed, &left}) list->push_back(std::make_unique<Event>());
    }
    int low = 0, high = 0;
    MUST(cudaDeviceGetStreamPriorityRange(&low, &high));
    Stream in(high), compute(low), out(high);
    Event start(cudaEventDefault), stop(cudaEventDefault);
    MUST(cudaEventRecord(start.e, in.s));
    const size_t bytes = pixels * sizeof(int);
    // one worker submits the copies in, the other one kernels and copies out; they take turns frame by frame
    std::atomic<int> submitted_in{0}, submitted_out{0};
    std::exception_ptr trouble;
    std::thread feeder([&] {
      try {
        for (int f = 0; f < frames; ++f) {
          while (submitted_out.load() < f - 2) std::this_thread::yield();
          if (f >= S) MUST(cudaStreamWaitEvent(in.s, computed[(f + 1) % S]->e, 0));
          MUST(cudaMemcpyAsync(frame[f % S]->p, film.p + size_t(f) * pixels, bytes, cudaMemcpyHostToDevice,
                               in.s));
          MUST(cudaEventRecord(arrived[f % S]->e, in.s));
          submitted_in.store(f + 1);
        }
      } catch (...) {
        trouble = std::current_exception();
        submitted_in.store(frames);
      }
    });
    try {
      for (int f = 0; f < frames; ++f) {
        while (submitted_in.load() <= f) std::this_thread::yield();
        MUST(cudaStreamWaitEvent(compute.s, arrived[f % S]->e, 0));
        if (f >= S) MUST(cudaStreamWaitEvent(compute.s, left[f % S]->e, 0));
        difference<<<(pixels + 127) / 128, 128, 0, compute.s>>>(frame[(f == 0 ? 0 : f - 1) % S]->p,
                                                                frame[f % S]->p, result[f % S]->p, pixels);
        MUST(cudaGetLastError());
        MUST(cudaEventRecord(computed[f % S]->e, compute.s));
        MUST(cudaStreamWaitEvent(out.s, computed[f % S]->e, 0));
        MUST(cudaMemcpyAsync(moved.p + size_t(f) * pixels, result[f % S]->p, bytes, cudaMemcpyDeviceToHost,
                             out.s));
        MUST(cudaEventRecord(left[f % S]->e, out.s));
        submitted_out.store(f + 1);
      }
    } catch (...) {
      submitted_out.store(frames + 10);
      feeder.join();
      throw;
    }
    feeder.join();
    if (trouble) std::rethrow_exception(trouble);
    MUST(cudaEventRecord(stop.e, out.s));
    MUST(cudaEventSynchronize(stop.e));
    float ms = 0;
    MUST(cudaEventElapsedTime(&ms, start.e, stop.e));
    write_npy(argv[2], moved.p, shape);
    std::printf("took %.4f ms\n", ms);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
