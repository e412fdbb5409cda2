// The host half of this lab: its arrays, what is right, and the launch. Matrix products share make_product.
#include "lab.hpp"
#include "matrix_rounds.hpp"
#include "product_mistakes.hpp"

using namespace warpgrade::harness;

// Launches as many blocks as it takes to cover C.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  const float* A = on_device.read<float>("A");
  const float* B = on_device.read<float>("B");
  float* C = on_device.write<float>("C");
  kernels.only().launch(Extent{n, m}, A, B, C, m, n, k);
}

// Multiplies the matrices of one case on the device and returns the outcome.
static Outcome multiply(const Dataset& data, const Kernels& kernels) {
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  if (const auto fault = on_device.first_fault()) return *fault;
  return compare(data, on_device.copy_back(), kernels, product_mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make_product, .launch = launch, .run = multiply, .rounds = product_rounds}, argc,
                 argv);
}
