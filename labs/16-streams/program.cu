// Lab 16-streams: this file is yours. Fill in the TODOs, then type: ./warpgrade check 16-streams
// (Course staff: made by `make skeletons` from solutions/16-streams/program.cu; edit that one.)

// A film that is larger than its room on the GPU: a ring of frames, three streams, events between them
//
// Problem   ./program film.npy moved.npy reads a film and writes how far each pixel moved since the frame before.
//           It prints how many milliseconds that took. On the GPU there is room for four frames and four results.
// Approach  One stream copies frames in, one computes, one copies results out, so that all three engines of the
//           GPU work at a time. A frame stands in slot number frame % SLOTS. Events make a stream wait where data
//           must be there first, and where a slot is still in use.
// Cost      8 bytes a pixel travel over the bus, 4 in each direction at once; each frame travels once, although two
//           kernels read it. The busiest engine sets the pace.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "npy.hpp"

// Ends the program where a call has failed.
#define CHECK(call)                                                                                 \
  do {                                                                                              \
    const cudaError_t code = (call);                                                                \
    if (code != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

__global__ void motion(const int* before, const int* now, int* moved, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) moved[i] = abs(now[i] - before[i]);
}

constexpr int THREADS = 256;
constexpr int SLOTS = 4;  // frames and results for which there is room on the GPU

// Frame f stands in slot f % SLOTS, its result as well. For each slot: when its frame has arrived, when that frame's
// result is computed, and when the result has left. These events order work; they measure no time.
struct Ring {
  int *frame[SLOTS], *result[SLOTS];
  cudaEvent_t arrived[SLOTS], computed[SLOTS], left[SLOTS];
  cudaStream_t in, compute, out;
};

Ring make_ring(int pixels) {
  Ring ring;
  for (int slot = 0; slot < SLOTS; ++slot) {
    CHECK(cudaMalloc(&ring.frame[slot], pixels * sizeof(int)));
    CHECK(cudaMalloc(&ring.result[slot], pixels * sizeof(int)));
    for (cudaEvent_t* event : {&ring.arrived[slot], &ring.computed[slot], &ring.left[slot]})
      CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  for (cudaStream_t* stream : {&ring.in, &ring.compute, &ring.out}) CHECK(cudaStreamCreate(stream));
  return ring;
}

void give_back(const Ring& ring) {
  for (int slot = 0; slot < SLOTS; ++slot) {
    CHECK(cudaFree(ring.frame[slot]));
    CHECK(cudaFree(ring.result[slot]));
    for (cudaEvent_t event : {ring.arrived[slot], ring.computed[slot], ring.left[slot]}) CHECK(cudaEventDestroy(event));
  }
  for (cudaStream_t stream : {ring.in, ring.compute, ring.out}) CHECK(cudaStreamDestroy(stream));
}

// Puts the work on the whole film into the ring's streams: moved[f][p] = |film[f][p] - film[f-1][p]| for all frames f
// and pixels p; nothing moves in the first frame. Both arrays are pinned.
void enqueue(const int* film, int* moved, int frames, int pixels, const Ring& ring) {
  // TODO(1): for each frame, in one stream: copy it into its slot, launch motion with the slot of the frame before,
  //          and copy the result out.

  // TODO(2): then in three streams: copies in, kernels, copies out. Events keep them in order: a kernel waits for its
  //          frame, a copy out for its kernel.

  // TODO(3): a slot is used again. What must be over before a frame is copied into it, and before a kernel writes a
  //          result into it?
}

// Does the work; returns the milliseconds from the beginning of the first copy to the end of the last one.
float process(const int* film, int* moved, int frames, int pixels, const Ring& ring) {
  enqueue(film, moved, frames, pixels, ring);  // nothing takes its time yet
  CHECK(cudaDeviceSynchronize());

  // TODO(4): record an event before the first copy and one behind the last, wait for it, and return the time between.

  // TODO(5): as an extra: capture the work into a graph, and launch that.
  return 0.0f;
}

// Pinned memory, which the GPU's engines copy from and to by themselves.
int* pinned(size_t n) {
  int* memory = nullptr;
  CHECK(cudaMallocHost(&memory, n * sizeof(int)));
  return memory;
}

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s film.npy moved.npy\n", argv[0]);
    return 2;
  }
  std::vector<std::size_t> shape;
  const std::vector<int> frames_of_file = read_npy<int>(argv[1], &shape);
  const size_t n = frames_of_file.size();
  int *film = pinned(n), *moved = pinned(n);
  for (size_t i = 0; i < n; ++i) {
    film[i] = frames_of_file[i];
    moved[i] = -1;
  }
  const Ring ring = make_ring(int(shape[1]));
  const float milliseconds = process(film, moved, int(shape[0]), int(shape[1]), ring);
  give_back(ring);
  write_npy(argv[2], moved, shape);
  std::printf("%zu frames in %.6f ms\n", shape[0], milliseconds);
  for (int* memory : {film, moved}) CHECK(cudaFreeHost(memory));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
