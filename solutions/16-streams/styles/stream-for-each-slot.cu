// A stream for each slot, captured into one graph; the frame before is waited for by an event.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "npy.hpp"

static void must(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(1);
}

__global__ void motion(const int* before, const int* now, int* moved, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) moved[i] = __sad(now[i], before[i], 0);
}

constexpr int SLOTS = 4;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<std::size_t> shape;
  const std::vector<int> values = read_npy<int>(argv[1], &shape);
  const int frames = shape[0], pixels = shape[1];
  const size_t bytes = pixels * sizeof(int);
  int *film, *moved, *device;
  must(cudaMallocHost(&film, frames * bytes));
  must(cudaMallocHost(&moved, frames * bytes));
  must(cudaMalloc(&device, 2 * SLOTS * bytes));
  std::copy(values.begin(), values.end(), film);
  cudaStream_t stream[SLOTS];
  cudaEvent_t begin, arrived[SLOTS], computed[SLOTS], end[SLOTS], start, stop;
  must(cudaEventCreate(&start));
  must(cudaEventCreate(&stop));
  must(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
  for (int slot = 0; slot < SLOTS; ++slot) {
    must(cudaStreamCreateWithFlags(&stream[slot], cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&arrived[slot], &computed[slot], &end[slot]})
      must(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  const auto frame_at = [=](int frame) { return device + size_t(frame % SLOTS) * pixels; };
  must(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeThreadLocal));
  must(cudaEventRecord(begin, stream[0]));
  for (int slot = 1; slot < SLOTS; ++slot) must(cudaStreamWaitEvent(stream[slot], begin, 0));
  for (int frame = 0; frame < frames; ++frame) {
    const int slot = frame % SLOTS, before = std::max(frame - 1, 0);
    int* const result = device + size_t(SLOTS + slot) * pixels;
    // The slot's last frame was read by its own kernel, in this stream, and by the next slot's.
    if (frame >= SLOTS) must(cudaStreamWaitEvent(stream[slot], computed[(slot + 1) % SLOTS], 0));
    must(cudaMemcpyAsync(frame_at(frame), film + size_t(frame) * pixels, bytes, cudaMemcpyHostToDevice,
                         stream[slot]));
    must(cudaEventRecord(arrived[slot], stream[slot]));
    must(cudaStreamWaitEvent(stream[slot], arrived[before % SLOTS], 0));
    motion<<<(pixels + 511) / 512, 512, 0, stream[slot]>>>(frame_at(before), frame_at(frame), result, pixels);
    must(cudaGetLastError());
    must(cudaEventRecord(computed[slot], stream[slot]));
    must(
        cudaMemcpyAsync(moved + size_t(frame) * pixels, result, bytes, cudaMemcpyDeviceToHost, stream[slot]));
  }
  for (int slot = 1; slot < SLOTS; ++slot) {
    must(cudaEventRecord(end[slot], stream[slot]));
    must(cudaStreamWaitEvent(stream[0], end[slot], 0));
  }
  cudaGraph_t graph;
  cudaGraphExec_t work;
  must(cudaStreamEndCapture(stream[0], &graph));
  must(cudaGraphInstantiate(&work, graph, 0));
  must(cudaEventRecord(start, stream[0]));
  must(cudaGraphLaunch(work, stream[0]));
  must(cudaEventRecord(stop, stream[0]));
  must(cudaStreamSynchronize(stream[0]));
  float milliseconds;
  must(cudaEventElapsedTime(&milliseconds, start, stop));
  write_npy(argv[2], moved, shape);
  std::printf("%.6f ms\n", milliseconds);
  must(cudaGraphExecDestroy(work));
  must(cudaGraphDestroy(graph));
  for (int slot = 0; slot < SLOTS; ++slot) {
    must(cudaStreamDestroy(stream[slot]));
    for (cudaEvent_t event : {arrived[slot], computed[slot], end[slot]}) must(cudaEventDestroy(event));
  }
  for (cudaEvent_t event : {begin, start, stop}) must(cudaEventDestroy(event));
  must(cudaFree(device));
  for (int* memory : {film, moved}) must(cudaFreeHost(memory));
}
