// The host half of this lab: its arrays, what is right, and the launch.
#include "lab.hpp"

using namespace warpgrade::harness;

// The numbers of a case, from 0 to 2^20 - 1, and their sum. The total does not begin with 0.
static void make(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<std::uint32_t>("x", {n});
  data.inout<std::uint64_t>("total", {1});
  const View total = data.expected_of("total");
  for (std::int64_t i = 0; i < n; ++i) {
    x(i) = x(i).integer() + 1;  // a sum without an element would be wrong
    total(0) += x(i);
  }
}

// Launches as many blocks as it takes to cover n elements.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  kernels.only().launch(Extent{n}, on_device.read<std::uint32_t>("x"),
                        on_device.write<std::uint64_t>("total"), n);
}

int main(int argc, char** argv) { return run_lab({.make = make, .launch = launch}, argc, argv); }
