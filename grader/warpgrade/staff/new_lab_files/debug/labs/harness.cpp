// The host half of this lab: its arrays, what is right, and the launch.
#include "lab.hpp"

using namespace warpgrade::harness;

// The numbers of a case, none of them 0, and the sums of each with its neighbours. Outside are zeros.
static void make(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<std::int32_t>("x", {n});
  const View y = data.output<std::int32_t>("y", {n});
  for (std::int64_t i = 0; i < n; ++i) x(i) = x(i).integer() * 2 + 1;
  for (std::int64_t i = 0; i < n; ++i) {
    y(i) = x(i);
    if (i > 0) y(i) += x(i - 1);
    if (i + 1 < n) y(i) += x(i + 1);
  }
}

// Launches as many blocks as it takes to cover n elements.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  kernels.only().launch(Extent{n}, on_device.read<std::int32_t>("x"), on_device.write<std::int32_t>("y"), n);
}

int main(int argc, char** argv) { return run_lab({.make = make, .launch = launch}, argc, argv); }
