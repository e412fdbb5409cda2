// Lab 12, the host half: what a program does around the kernels that you write.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "convolution_mistakes.hpp"
#include "lab.hpp"
#include "places.hpp"
#include "stencil_mistakes.hpp"

// A result that was computed in double; `size` is the sum of the magnitudes of its terms. Of whole numbers,
// every order of the operations gives exactly this result.
static Number exact(const Dataset& data, double result, double size) {
  return data.task.values == "integers" ? Number(result) : Number(result).with_scale(size);
}

// Part 1: an image and a mask, and the sum of the weighted neighbours of each element.
static void make_convolution(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"];
  const std::int64_t mask_rows = data["mask_rows"], mask_columns = data["mask_columns"];
  const View image = data.input<float>("image", {rows, columns});
  const View mask = data.input<float>("mask", {mask_rows, mask_columns});
  const View result = data.output<float>("result", {rows, columns});
  // The image with as much around it as the mask may need.
  const std::int64_t padded_columns = columns + mask_columns - 1;
  std::vector<double> padded;
  for (std::int64_t row = 0; row < rows + mask_rows - 1; ++row)
    for (std::int64_t column = 0; column < padded_columns; ++column)
      padded.push_back(
          image(clamped(row - mask_rows / 2, rows), clamped(column - mask_columns / 2, columns)).value());
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> sums(static_cast<std::size_t>(columns)), sizes(sums.size());
    for (std::int64_t i = 0; i < mask_rows; ++i)
      for (std::int64_t j = 0; j < mask_columns; ++j) {
        const double weight = mask(i, j).value();
        const double* from = &padded[static_cast<std::size_t>((row + i) * padded_columns + j)];
        for (std::size_t c = 0; c < sums.size(); ++c) {
          sums[c] += weight * from[c];
          sizes[c] += std::fabs(weight * from[c]);
        }
      }
    for (std::size_t c = 0; c < sums.size(); ++c) result(row, c) = exact(data, sums[c], sizes[c]);
  }
}

// Part 2: elements in space, and what becomes of each in one step.
static void make_stencil(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"], layers = data["layers"];
  const View before = data.input<float>("before", {layers, rows, columns});
  const View after = data.output<float>("after", {layers, rows, columns});
  const float* const elements = data.array("before").data<float>();
  const auto at = [=](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<double>(
        elements[(clamped(z, layers) * rows + clamped(y, rows)) * columns + clamped(x, columns)]);
  };
  for (std::int64_t z = 0; z < layers; ++z)
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) {
        double sum = 0, size = 0;
        for (const double term : {2 * at(z, y, x), at(z - 1, y, x), at(z + 1, y, x), at(z, y - 1, x),
                                  at(z, y + 1, x), at(z, y, x - 1), at(z, y, x + 1)}) {
          sum += term;
          size += std::fabs(term);
        }
        after(z, y, x) = exact(data, sum / 8, size / 8);
      }
}

static void make(Dataset& data) { is_stencil(data) ? make_stencil(data) : make_convolution(data); }

// Launches the kernel of the case's part, with as many blocks as it takes to cover the result.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int rows = data.as_int("rows"), columns = data.as_int("columns"), layers = data.as_int("layers");
  if (is_stencil(data)) {
    kernels["stencil_step"].launch(Extent{columns, rows, layers}, on_device.read<float>("before"),
                                   on_device.write<float>("after"), columns, rows, layers);
    return;
  }
  // What cudaMemcpyToSymbol does: the weights go to the constant memory of the kernel's file.
  note_weights(data.array("mask"));
  kernels.set("mask", on_device.read<float>("mask"), data.array("mask").count() * sizeof(float));
  kernels["convolve"].launch(Extent{columns, rows}, on_device.read<float>("image"),
                             on_device.write<float>("result"), rows, columns, data.as_int("mask_rows"),
                             data.as_int("mask_columns"));
}

static std::optional<Pattern> mistake(const WrongResult& q) {
  const auto is_zero = [&](std::size_t i) { return q.result.at(i).value == 0 && is_at_border(q.data, i); };
  if (q.wrong.size() < q.result.count() && q.all(is_zero))
    return of_values(
        "border-zero",
        "is 0 and lies at the border: what lies there has a result, too, and the nearest element "
        "stands for what is outside");
  return is_stencil(q.data) ? mistake_in_stencil(q) : mistake_in_convolution(q);
}

// Runs one case on the device and returns the outcome.
static Outcome convolve(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the inputs there; the result starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the result and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = convolve}, argc, argv);
}
