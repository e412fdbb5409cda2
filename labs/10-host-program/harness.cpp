// Lab 10, the host half: the arrays of a case. The program that reads and writes them is yours.
#include "lab.hpp"

using namespace warpgrade::harness;

// Two arrays to read, and what the third must be.
static void make(Dataset& data) {
  const auto n = data["n"];
  const auto x = data.input<float>("x", {n});
  const auto y = data.input<float>("y", {n});
  auto z = data.output<float>("z", {n});
  for (std::int64_t i = 0; i < n; ++i) z(i) = 2 * x(i) + y(i);
}

int main(int argc, char** argv) { return run_lab({.make = make}, argc, argv); }
