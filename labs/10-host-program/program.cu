// Lab 10-host-program: this file is yours. Fill in the TODOs, then type: ./warpgrade check 10-host-program
// (Course staff: made by `make skeletons` from solutions/10-host-program/program.cu; edit that one.)

// A whole program: memory, copies, launch, errors, time, cleaning up
//
// Problem   ./program x.npy y.npy z.npy reads two arrays of n floats and writes a third: z = 2x + y. It prints
//           how many milliseconds its kernels took. If any call of CUDA fails, it says so and ends with an exit
//           code that is not 0.
// Approach  The arrays are cut into pieces that are handed to streams in turn: while a kernel of one stream
//           computes, copies of another carry the next piece in and the last one out. Copies run beside kernels
//           only where the host's memory is pinned.
// Cost      12 bytes travel over the bus for each element and 12 through device memory, so the bus decides:
//           at 50 GB/s it takes 70 times as long as the kernel. What overlap saves is one direction of the two.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "npy.hpp"

// Ends the program where a call has failed: what follows could only go wrong in less clear ways.
#define CHECK(call)                                                                                 \
  do {                                                                                              \
    const cudaError_t code = (call);                                                                \
    if (code != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

__global__ void axpy(float a, const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}

constexpr int THREADS = 256;
constexpr int STREAMS = 3;     // one copies in, one computes, one copies out
constexpr int PIECE = 1 << 13;  // elements

// z[i] = a * x[i] + y[i] on the GPU. Returns the milliseconds from the first kernel's start to the last one's end.
float compute(float a, const float* x, const float* y, float* z, int n) {
  // TODO(1): allocate device memory for the three arrays. Look at what every call returns.

  // TODO(2): create two events, and record one before the work.

  // TODO(3): copy x and y to the device, launch axpy for all n elements, and copy z back.

  // TODO(4): did the launch succeed? It returns nothing.

  // TODO(5): record the second event, wait for it, and ask for the time between the two.

  // TODO(6): give back all that you allocated and created.

  // TODO(7): when all of that works: cut the arrays into pieces, and let the copies of one piece run beside the
  //          kernel of another.
  return 0.0f;
}

// Pinned memory, which the GPU copies from and to by itself: only such copies run beside kernels.
float* pinned(size_t n) {
  float* memory = nullptr;
  CHECK(cudaMallocHost(&memory, n * sizeof(float)));
  return memory;
}
void give_back(float* memory) { CHECK(cudaFreeHost(memory)); }

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s x.npy y.npy z.npy\n", argv[0]);
    return 2;
  }
  const std::vector<float> x_file = read_npy(argv[1]), y_file = read_npy(argv[2]);
  const size_t n = x_file.size();
  float *x = pinned(n), *y = pinned(n), *z = pinned(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = x_file[i];
    y[i] = y_file[i];
    z[i] = 0.0f;
  }
  const float milliseconds = compute(2.0f, x, y, z, static_cast<int>(n));
  write_npy(argv[3], z, n);
  std::printf("%zu elements in %.6f ms\n", n, milliseconds);
  for (float* memory : {x, y, z}) give_back(memory);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
