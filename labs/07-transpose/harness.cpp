// Lab 07, the host half: what a program does around the kernel that you write.
#include "comparison/hypotheses.hpp"
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

// The mistake that explains all wrong elements of T, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const Array& A = q.data.array("A");
  const auto rows = q.data["rows"], columns = q.data["columns"];
  const auto element = [&](std::int64_t row, std::int64_t column) {
    const bool inside = 0 <= row && row < rows && 0 <= column && column < columns;
    return inside ? A.at(static_cast<std::size_t>(row * columns + column)).value : 0.0;
  };
  const auto row_of = [&](std::size_t i) { return static_cast<std::int64_t>(i) / rows; };     // of T
  const auto column_of = [&](std::size_t i) { return static_cast<std::int64_t>(i) % rows; };  // of T
  std::vector<Hypothesis> found = {
      {"copied", "is the element of A at the same place in memory: nothing is transposed",
       [&](std::size_t i) { return A.at(i).value; }},
      {"A-row-of-rows", "comes out if a row of A had as many elements as A has rows", [&](std::size_t i) {
         const auto at = static_cast<std::size_t>(column_of(i) * rows + row_of(i));
         return at < A.count() ? A.at(at).value : 0.0;
       }}};
  if (q.shape() && q.shape()->outputs[0] == q.shape()->outputs[1]) {
    const std::int64_t t = q.shape()->outputs[0];
    const std::int64_t tiles_across = (rows + t - 1) / t, tiles_down = (columns + t - 1) / t;  // of T
    found.push_back({"tile-not-turned",
                     "comes out if tiles are at their places, but not turned: read a column of "
                     "the tile where you filled a row",
                     [&, t](std::size_t i) {
                       return element(column_of(i) / t * t + row_of(i) % t,
                                      row_of(i) / t * t + column_of(i) % t);
                     }});
    found.push_back(
        {"blocks-not-turned",
         "comes out if tiles are turned, but stay at their places: swap blockIdx.x "
         "and blockIdx.y for one of the two matrices",
         [&, t](std::size_t i) {
           return element(row_of(i) / t * t + column_of(i) % t, column_of(i) / t * t + row_of(i) % t);
         },
         [=](std::size_t i) { return row_of(i) / t >= tiles_across || column_of(i) / t >= tiles_down; }});
  }
  return explained(q, found);
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
  return compare(data, on_device.copy_back(), kernels, mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = transpose}, argc, argv);
}
