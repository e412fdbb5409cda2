// The host half of this lab: the arrays of a case. The program that reads and writes them is the student's.
#include "lab.hpp"

using namespace warpgrade::harness;

// An array to read, and what the other one must be.
static void make(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<float>("x", {n});
  const View y = data.output<float>("y", {n});
  for (std::int64_t i = 0; i < n; ++i) y(i) = x(i) * x(i);
}

int main(int argc, char** argv) { return run_lab({.make = make}, argc, argv); }
