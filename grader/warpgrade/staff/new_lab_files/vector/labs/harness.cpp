// The host half of this lab: its arrays, what is right, and the launch.
#include "lab.hpp"

using namespace warpgrade::harness;

// The arrays of a case, and what must come out.
static void make(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<float>("x", {n});
  const View d = data.output<float>("d", {n});
  for (std::int64_t i = 0; i < n; ++i) d(i) = x((i + 1) % n) - x(i);
}

// Launches as many blocks as it takes to cover n elements.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  kernels.only().launch(Extent{n}, on_device.read<float>("x"), on_device.write<float>("d"), n);
}

int main(int argc, char** argv) { return run_lab({.make = make, .launch = launch}, argc, argv); }
