// A graph that is built node by node: its edges are written down, no stream is captured.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "npy.hpp"

#define CHECK(call)                                                              \
  do {                                                                           \
    if (const cudaError_t code = (call); code != cudaSuccess) {                  \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

__global__ void motion(const int* before, const int* now, int* moved, int pixels) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x)
    moved[i] = abs(now[i] - before[i]);
}

constexpr int ROOM = 4;

struct Room {
  std::array<int*, ROOM> frame, result;
};

// For each frame a copy in, a kernel, a copy out; edges say what each waits for.
cudaGraph_t plan(int* film, int* moved, int frames, int pixels, Room& room) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const size_t bytes = pixels * sizeof(int);
  std::vector<cudaGraphNode_t> in(frames), compute(frames), out(frames);
  for (int f = 0; f < frames; ++f) {
    std::vector<cudaGraphNode_t> before;
    for (int reader = f - ROOM; reader <= f - ROOM + 1; ++reader)  // who reads the slot's old frame
      if (reader >= 0) before.push_back(compute[reader]);
    CHECK(cudaGraphAddMemcpyNode1D(&in[f], graph, before.data(), before.size(), room.frame[f % ROOM],
                                   film + size_t(f) * pixels, bytes, cudaMemcpyHostToDevice));
    before = {in[f]};
    if (f > 0) before.push_back(in[f - 1]);
    if (f >= ROOM) before.push_back(out[f - ROOM]);
    void* arguments[] = {&room.frame[(f ? f - 1 : 0) % ROOM], &room.frame[f % ROOM], &room.result[f % ROOM],
                         &pixels};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(motion);
    kernel.gridDim = dim3((pixels + 255) / 256);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&compute[f], graph, before.data(), before.size(), &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&out[f], graph, &compute[f], 1, moved + size_t(f) * pixels,
                                   room.result[f % ROOM], bytes, cudaMemcpyDeviceToHost));
  }
  return graph;
}

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  std::vector<std::size_t> shape;
  const std::vector<int> read = read_npy<int>(argv[1], &shape);
  const int frames = int(shape[0]), pixels = int(shape[1]);
  int *film, *moved;
  CHECK(cudaMallocHost(&film, read.size() * sizeof(int)));
  CHECK(cudaMallocHost(&moved, read.size() * sizeof(int)));
  std::copy(read.begin(), read.end(), film);
  Room room;
  for (int slot = 0; slot < ROOM; ++slot) {
    CHECK(cudaMalloc(&room.frame[slot], pixels * sizeof(int)));
    CHECK(cudaMalloc(&room.result[slot], pixels * sizeof(int)));
  }
  cudaGraph_t graph = plan(film, moved, frames, pixels, room);
  cudaGraphExec_t work;
  CHECK(cudaGraphInstantiate(&work, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaGraphLaunch(work, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  write_npy(argv[2], moved, shape);
  std::printf("%d frames in %.6f ms\n", frames, milliseconds);
  CHECK(cudaGraphExecDestroy(work));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  for (int slot = 0; slot < ROOM; ++slot) {
    CHECK(cudaFree(room.frame[slot]));
    CHECK(cudaFree(room.result[slot]));
  }
  CHECK(cudaFreeHost(film));
  CHECK(cudaFreeHost(moved));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
