// {@ title @}
//
// Problem   ./program x.npy y.npy reads an array of n floats and writes their squares. If any call of CUDA fails, it
//           says so and ends with an exit code that is not 0.
// Approach  Allocate on the device, copy there, launch, copy back, free; look at what each call returns.
// Cost      8 bytes an element over the bus, and 8 through device memory: the bus decides.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "npy.hpp"

// Ends the program where a call has failed: what follows could only go wrong in less clear ways.
#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t code = (call);                                            \
    if (code != cudaSuccess) {                                                  \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

__global__ void square(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

constexpr int THREADS = 256;

//> signature
// y[i] = x[i]² on the GPU. x and y are arrays of n floats of the host.
void compute(const float* x, float* y, int n) {
  //< signature
  //> solution
  const size_t bytes = n * sizeof(float);
  float *x_device, *y_device;
  CHECK(cudaMalloc(&x_device, bytes));
  CHECK(cudaMalloc(&y_device, bytes));
  CHECK(cudaMemcpy(x_device, x, bytes, cudaMemcpyHostToDevice));
  const int blocks = (n + THREADS - 1) / THREADS;
  square<<<blocks, THREADS>>>(x_device, y_device, n);
  CHECK(cudaGetLastError());  // a launch returns nothing
  CHECK(cudaMemcpy(y, y_device, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(x_device));
  CHECK(cudaFree(y_device));
  //< solution
  /*> stub
  // TODO(1): allocate device memory for both arrays. Look at what every call returns.

  // TODO(2): copy x to the device, launch square for all n elements, and copy y back.

  // TODO(3): did the launch succeed? It returns nothing.

  // TODO(4): give back all that you allocated.
  <*/
}

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s x.npy y.npy\n", argv[0]);
    return 2;
  }
  const std::vector<float> x = read_npy(argv[1]);
  std::vector<float> y(x.size());
  compute(x.data(), y.data(), static_cast<int>(x.size()));
  write_npy(argv[2], y.data(), y.size());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
