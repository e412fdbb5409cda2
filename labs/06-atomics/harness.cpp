// Lab 06, the host half: what a program does around the kernels that you write.
#include "lab.hpp"
#include "mistakes.hpp"

using namespace warpgrade::harness;

// Bytes by the case's kind of values: 0 … 255 equally often, all equal, or 15 of 16 equal. In "mixed", the
// first half is even and the second skewed.
static void choose_bytes(const Dataset& data, const View& bytes) {
  const std::string& values = data.task.values;
  const std::uint64_t seed = stream_of(data.task.seed, "crowd");
  const std::uint64_t favourite = mix_bits(seed) % 256;
  const std::int64_t n = bytes.size();
  const bool all_equal = values == "equal";
  const std::int64_t even = values == "mixed" ? n / 2 : values.ends_with("skewed") ? 0 : n;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    const bool favoured = all_equal || (i >= even && bits >> 60 != 0);
    bytes(i) = favoured ? favourite : bits % 256;
  }
}

// Part 1: each of 256 sums gets the weights of its key. They are whole numbers, so that every order of the
// additions gives the same sum, but for "sums-fractions".
static void make_sums(Dataset& data) {
  const std::int64_t n = data["n"];
  const View keys = data.input<std::uint8_t>("keys", {n});
  const View weights = data.input<float>("weights", {n});
  const View before = data.inout<float>("sums", {256});
  const View sums = data.expected_of("sums");
  choose_bytes(data, keys);
  const bool whole = data.task.values != "sums-fractions";
  const std::uint64_t seed = stream_of(data.task.seed, "whole numbers");
  const auto whole_number = [&](std::int64_t i) {
    return 1 + random_bits(seed, static_cast<std::uint64_t>(i)) % 100;
  };
  for (std::int64_t key = 0; whole && key < 256; ++key) sums(key) = before(key) = whole_number(n + key);
  for (std::int64_t i = 0; i < n; ++i) {
    if (whole) weights(i) = whole_number(i);
    sums(keys(i).integer()) += weights(i);
  }
}

// Part 2: each of 256 counts grows by the number of bytes of its value. Every other one begins small, so that
// the larger of what it was and what is added is not always the former.
static void make_counts(Dataset& data) {
  const View bytes = data.input<std::uint8_t>("bytes", {data["n"]});
  const View before = data.inout<std::uint32_t>("counts", {256});
  const View counts = data.expected_of("counts");
  for (std::int64_t i = 1; i < counts.size(); i += 2) counts(i) = before(i) = i % 8;
  choose_bytes(data, bytes);
  for (std::int64_t i = 0; i < bytes.size(); ++i) counts(bytes(i).integer()) += 1;
}

static void make(Dataset& data) { is_of_sums(data) ? make_sums(data) : make_counts(data); }

// Launches the kernel of the case's part, with as many blocks as it takes to cover n elements.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  if (is_of_sums(data))
    kernels["sum_by_key"].launch(Extent{n}, on_device.read<std::uint8_t>("keys"),
                                 on_device.read<float>("weights"), on_device.write<float>("sums"), n);
  else
    kernels["histogram"].launch(Extent{n}, on_device.read<std::uint8_t>("bytes"),
                                on_device.write<std::uint32_t>("counts"), n);
}

// Runs one case on the device and returns the outcome.
static Outcome add_up(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy all arrays there: the sums and counts do not begin with 0.
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the sums or the counts and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy them back and compare.
  const LaunchShape& shape = kernels[is_of_sums(data) ? "sum_by_key" : "histogram"].shape();
  return compare(data, on_device.copy_back(), kernels,
                 [&](const WrongResult& wrong) { return mistake(wrong, shape); });
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = add_up}, argc, argv);
}
