// A whole program around a kernel of lab 02; the handout shows it, a test compiles and runs it.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernel.cu"  // matmul_tiled and its launch shape, from lab 02

// Ends the program where a call of CUDA went wrong, and says which.
static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

//> triple-loop
// The three loops of the CPU. On a GPU the two outer ones become threads.
static void multiply_on_host(const float* A, const float* B, float* C, int m, int n, int k) {
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += double(A[row * k + p]) * B[p * n + column];
      C[row * n + column] = float(sum);
    }
}
//< triple-loop

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 1024;  // a multiple of TILE_WIDTH
  const size_t elements = size_t(size) * size, bytes = elements * sizeof(float);

  // Fill the inputs with small whole numbers, so that sums are exact.
  std::vector<float> A(elements), B(elements), C(elements), expected(elements);
  for (size_t i = 0; i < elements; ++i) {
    A[i] = float(i % 7) - 3;
    B[i] = float(i % 5) - 2;
  }

  // Allocate on the device, and copy the inputs there.
  float *on_A, *on_B, *on_C;
  check(cudaMalloc(&on_A, bytes), "memory for A");
  check(cudaMalloc(&on_B, bytes), "memory for B");
  check(cudaMalloc(&on_C, bytes), "memory for C");
  check(cudaMemcpy(on_A, A.data(), bytes, cudaMemcpyHostToDevice), "copying A");
  check(cudaMemcpy(on_B, B.data(), bytes, cudaMemcpyHostToDevice), "copying B");

  // Launch between two events of the device's own clock. A launch returns at once.
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "an event");
  check(cudaEventCreate(&end), "an event");
  const dim3 block(TILE_WIDTH, TILE_WIDTH), grid(size / TILE_WIDTH, size / TILE_WIDTH);
  check(cudaEventRecord(begin), "the first reading");
  matmul_tiled<<<grid, block>>>(on_A, on_B, on_C, size, size, size);
  check(cudaGetLastError(), "the launch");
  check(cudaEventRecord(end), "the second reading");
  check(cudaEventSynchronize(end), "the kernel");  // waits, and says what went wrong on the way
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "the time");

  // Copy the result back and look at it: three elements for people, all of them for certainty.
  check(cudaMemcpy(C.data(), on_C, bytes, cudaMemcpyDeviceToHost), "copying C");
  const auto started = std::chrono::steady_clock::now();
  multiply_on_host(A.data(), B.data(), expected.data(), size, size, size);
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - started;
  size_t wrong = 0;
  for (size_t i = 0; i < elements; ++i) wrong += C[i] != expected[i];
  std::printf("%g %g %g\n", C[0], C[elements / 2], C[elements - 1]);
  std::printf("wrong elements: %zu; device %.3f ms, host %.3f ms\n", wrong, milliseconds, host.count());

  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(on_A);
  cudaFree(on_B);
  cudaFree(on_C);
  return wrong != 0;
}
