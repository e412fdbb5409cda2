// Lab 05, the host half: what a program does around the kernels that you write.
#include <algorithm>
#include <span>

#include "lab.hpp"
#include "mistakes.hpp"

using namespace warpgrade::harness;

// Whole numbers whose magnitudes add up to less than 2^24, so that every order of the additions gives the
// same sum. Of more than 2^23 numbers, most are 0.
static void choose_whole_numbers(Array& array, std::uint64_t seed) {
  float* const numbers = array.data<float>();
  const auto n = static_cast<std::int64_t>(array.count());
  const auto largest = static_cast<std::uint64_t>(std::clamp<std::int64_t>((1 << 24) / n, 1, 100));
  const auto one_in = static_cast<std::uint64_t>(std::max<std::int64_t>(1, n >> 22));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    const double number = with_random_sign(static_cast<double>(1 + bits % largest), bits);
    numbers[i] = one_in > 1 && (bits >> 32) % one_in != 0 ? 0.0f : static_cast<float>(number);
  }
}

// The numbers of a case, and the sums that must come out.
static void make(Dataset& data) {
  const std::int64_t n = data["n"], segment = is_of_all(data) ? n : SEGMENT;
  data.input<float>("numbers", {n});
  if (!data.task.values.ends_with("fractions"))
    choose_whole_numbers(data.array("numbers"), stream_of(data.task.seed, "whole numbers"));
  const View sums = data.output<float>("sums", {(n + segment - 1) / segment});
  const std::span numbers(data.array("numbers").data<float>(), static_cast<std::size_t>(n));
  for (std::int64_t s = 0; s < sums.size(); ++s) {
    const std::int64_t first = s * segment, after = std::min(first + segment, n);
    sums(s) = sum_of(numbers.subspan(first, after - first));
  }
}

// Launches the kernel of the case's part: one block for each of the sums, or as many blocks as the file says.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  const std::string& part = data.task.values;
  const Kernel& kernel = kernels[is_of_all(data)            ? "sum_all"
                                 : part.starts_with("tree") ? "tree_sums"
                                                            : "shuffle_sums"];
  const Extent covered{is_of_all(data) ? n : (n + SEGMENT - 1) / SEGMENT};
  kernel.launch(covered, on_device.read<float>("numbers"), on_device.write<float>("sums"), n);
}

// Runs one case on the device and returns the outcome.
static Outcome reduce(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the numbers there; the sums start as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the sums and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the sums back and compare them.
  const auto mistake = [&](const WrongResult& wrong) {
    return is_of_all(data) ? mistake_in_all(wrong, kernels["sum_all"].shape()) : mistake_in_segments(wrong);
  };
  return compare(data, on_device.copy_back(), kernels, mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = reduce}, argc, argv);
}
