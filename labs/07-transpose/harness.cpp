// Lab 07, the host half: what a program does around the kernel that you write.
#include "lab.hpp"

using namespace warpgrade::harness;

// The matrix of a case, and what must come out.
static void make(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"];
  const View A = data.input<float>("A", {rows, columns});
  const View T = data.output<float>("T", {columns, rows});
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) T(column, row) = A(row, column);
}

// Launches as many blocks as it takes to cover the result, which has as many
// columns as A has rows.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int rows = data.as_int("rows"), columns = data.as_int("columns");
  const float* A = on_device.read<float>("A");
  float* T = on_device.write<float>("T");
  kernels.only().launch(Extent{rows, columns}, A, T, rows, columns);
}

// Transposes the matrix of one case on the device and returns the outcome.
static Outcome transpose(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device. The input is copied there; the result starts as
  // "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the result and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it.
  return compare(data, on_device.copy_back(), kernels);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = transpose}, argc, argv);
}
