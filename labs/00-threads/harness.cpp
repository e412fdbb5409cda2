// Lab 00, the host half: what a program does around the kernels that you write.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lab.hpp"
#include "mistakes.hpp"

using namespace warpgrade::harness;

// Parts 1 to 3: y = a·x + y.
static void make_saxpy(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<float>("x", {n});
  data.inout<float>("y", {n});
  const View y = data.expected_of("y");
  for (std::int64_t i = 0; i < n; ++i) y(i) = Number(static_cast<double>(factor(data))) * x(i) + y(i);
}

// Part 4: the values of four functions, and their errors, which depend on the values: see measure().
static void make_functions(Dataset& data) {
  const std::int64_t n = data["n"];
  const View x = data.input<float>("x", {n});
  data.output<float>("values", {n, FUNCTIONS});
  data.output<float>("errors", {n, FUNCTIONS});
  Expected& values = data.expected("values");
  const double range = data.task.values == "functions-large" ? 2000 : 6;
  for (std::int64_t i = 0; i < n; ++i) {
    const float positive = static_cast<float>(range * (std::fabs(x(i).value()) + 0x1p-12));
    x(i) = static_cast<double>(positive);
    for (int f = 0; f < FUNCTIONS; ++f)
      values.set(static_cast<std::size_t>(i * FUNCTIONS + f), exact(f, static_cast<double>(positive)),
                 largest_error(f, static_cast<double>(positive)));
  }
}

static void make(Dataset& data) { is_of_functions(data) ? make_functions(data) : make_saxpy(data); }

// Blocks for a loop over the grid: as many as the GPU holds at once, but so few that each thread has several
// elements.
static std::int64_t blocks_to_loop(const Kernel& kernel, std::int64_t n) {
  constexpr std::int64_t rounds = 4;
  const std::int64_t blocks = n / (rounds * kernel.shape().threads_of_block());
  return std::clamp<std::int64_t>(blocks, 1, kernel.resident_blocks());
}

// Launches the kernel of the case's part, with as many blocks as cover n elements or as suit a loop.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  const float* x = on_device.read<float>("x");
  if (is_of_functions(data)) {
    kernels["function_errors"].launch(Extent{n}, x, on_device.write<float>("values"),
                                      on_device.write<float>("errors"), n);
    return;
  }
  float* y = on_device.write<float>("y");
  if (data.task.values == "stride") {
    const Kernel& kernel = kernels["saxpy_stride"];
    kernel.launch_blocks(blocks_to_loop(kernel, n), factor(data), x, y, n);
    return;
  }
  const Kernel& kernel = kernels[data.task.values == "element" ? "saxpy" : "saxpy_four"];
  kernel.launch(Extent{n}, factor(data), x, y, n);
}

// Compares the values of part 4, then each error with that of the value beside it.
static Outcome measure(const Dataset& data, const HostArrays& results) {
  const Array& values = result_of(results, "values");
  if (Outcome outcome = compare(data, values, nullptr, mistake_in_values); outcome.status != Status::pass)
    return outcome;
  if (are_same_sines(values))
    return Outcome::failure(Status::wrong_answer,
                            "values[i].x and values[i].y are the same for all i: sinf and __sinf differ");
  if (are_careful_roots(values, data))
    return Outcome::failure(Status::wrong_answer,
                            "values[i].w is what 1 / sqrtf gives, for all i: rsqrtf, which belongs there, "
                            "differs in the last place");
  Dataset of_values = data;
  Expected& errors = of_values.expected("errors");
  for (std::size_t i = 0; i < values.count(); ++i) {
    const double x = data.array("x").at(i / FUNCTIONS).value;
    const double error = std::fabs(values.at(i).value - exact(static_cast<int>(i % FUNCTIONS), x));
    errors.set(i, error, 0x1p-22 * error + 0x1p-50);
  }
  const auto own = [&](const WrongResult& wrong) { return mistake_in_errors(wrong, values); };
  return compare(of_values, result_of(results, "errors"), nullptr, own);
}

// Runs one case on the device and returns the outcome.
static Outcome map(const Dataset& data, const Kernels& kernels) {
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to its results and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the results back and compare them.
  const HostArrays results = on_device.copy_back();
  return is_of_functions(data) ? measure(data, results) : compare(data, results, kernels, mistake);
}

int main(int argc, char** argv) { return run_lab({.make = make, .launch = launch, .run = map}, argc, argv); }
