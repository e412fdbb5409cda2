// Lab 03, the host half: what a program does around the kernel that you write.
#include "lab.hpp"
#include "matrix_rounds.hpp"
#include "product_mistakes.hpp"

using namespace warpgrade::harness;

// Launches as many blocks as it takes to cover C. A launch returns at once, and what goes wrong while the
// kernel runs is reported by the call that waits for it.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  const float* A = on_device.read<float>("A");
  const float* B = on_device.read<float>("B");
  float* C = on_device.write<float>("C");
  kernels.only().launch(Extent{n, m}, A, B, C, m, n, k);
}

// Multiplies the matrices of one case on the device and returns the outcome.
static Outcome multiply(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device. The inputs are copied there; the result starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it with the one computed in double precision.
  return compare(data, on_device.copy_back(), kernels, product_mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make_product, .launch = launch, .run = multiply, .rounds = product_rounds}, argc,
                 argv);
}
