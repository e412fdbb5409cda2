// Lab 13-debug: this file is yours. Fill in the TODOs, then type: ./warpgrade check 13-debug
// (Course staff: made by `make skeletons` from solutions/13-debug/streams.cu; edit that one.)

// Differences in two streams: a whole program with one fault
//
// Problem   ./program x.npy y.npy reads n numbers and writes the difference of each number and the next one;
//           the last number has no next one, and its difference is 0. Nothing is wrong with the kernel, but
//           an order is missing between the two streams. Name the fault in faults.toml, by a line of this
//           file as you got it and by the word for what it causes; then repair it.
// Approach  The numbers are cut into pieces. One stream copies them in; the other computes and copies
//           results out, so that a piece is computed while the next one is still on its way.
// Cost      4 bytes a number travel over the bus in each direction. A repair takes one line.
#include <algorithm>
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

constexpr int THREADS = 256;
constexpr int PIECE = 256;  // numbers

// y[i] is the difference of number i + 1 and number i, for the numbers of the piece that starts at `begin`.
__global__ void next_differences(const int* x, int* y, int n, int begin) {
  const int i = begin + blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  y[i] = i + 1 < n ? x[i + 1] - x[i] : 0;
}

// The differences of n numbers. Both arrays are pinned.
void compute(const int* x, int* y, int n) {
  int *x_device, *y_device;
  CHECK(cudaMalloc(&x_device, n * sizeof(int)));
  CHECK(cudaMalloc(&y_device, n * sizeof(int)));
  cudaStream_t in, work;
  for (cudaStream_t* stream : {&in, &work}) CHECK(cudaStreamCreate(stream));
  const int pieces = (n + PIECE - 1) / PIECE;
  std::vector<cudaEvent_t> arrived(pieces);
  for (cudaEvent_t& event : arrived) CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

  for (int piece = 0; piece < pieces; ++piece) {
    const int begin = piece * PIECE;
    const size_t bytes = std::min(PIECE, n - begin) * sizeof(int);
    CHECK(cudaMemcpyAsync(x_device + begin, x + begin, bytes, cudaMemcpyHostToDevice, in));
    CHECK(cudaEventRecord(arrived[piece], in));
  }
  for (int piece = 0; piece < pieces; ++piece) {
    const int begin = piece * PIECE;
    const size_t bytes = std::min(PIECE, n - begin) * sizeof(int);
    CHECK(cudaStreamWaitEvent(work, arrived[piece], 0));
    next_differences<<<PIECE / THREADS, THREADS, 0, work>>>(x_device, y_device, n, begin);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(y + begin, y_device + begin, bytes, cudaMemcpyDeviceToHost, work));
  }
  CHECK(cudaDeviceSynchronize());

  for (cudaEvent_t event : arrived) CHECK(cudaEventDestroy(event));
  for (cudaStream_t stream : {in, work}) CHECK(cudaStreamDestroy(stream));
  for (int* memory : {x_device, y_device}) CHECK(cudaFree(memory));
}

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s x.npy y.npy\n", argv[0]);
    return 2;
  }
  const std::vector<int> numbers = read_npy<int>(argv[1]);
  int *x, *y;
  for (int** memory : {&x, &y}) CHECK(cudaMallocHost(memory, numbers.size() * sizeof(int)));
  std::copy(numbers.begin(), numbers.end(), x);
  compute(x, y, int(numbers.size()));
  write_npy(argv[2], y, {numbers.size()});
  for (int* memory : {x, y}) CHECK(cudaFreeHost(memory));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
