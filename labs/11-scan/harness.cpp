// Lab 11, the host half: what a program does around the kernels that you write.
#include <algorithm>
#include <vector>

#include "lab.hpp"
#include "mistakes.hpp"

using namespace warpgrade::harness;

// Whole numbers whose magnitudes add up to less than 2^24, so that every order of the additions gives the
// same sums. Of more than 2^23 numbers, most are 0.
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

// Parts 1 to 3: the numbers of a case, and the sums that must come out.
static void make_sums(Dataset& data) {
  const std::int64_t n = data["n"], segment = is_of_all(data) ? n : SEGMENT;
  const View numbers = data.input<float>("numbers", {n});
  if (!data.task.values.ends_with("fractions"))
    choose_whole_numbers(data.array("numbers"), stream_of(data.task.seed, "whole numbers"));
  const View sums = data.output<float>("sums", {n});
  Number sum;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % segment == 0) sum = Number(0.0);
    sums(i) = sum += numbers(i);
  }
}

// Part 4: numbers of which some, none or all are above 0; what has to be kept of them, and how many. Behind
// those, `kept` stays as it was.
static void make_compaction(Dataset& data) {
  const std::int64_t n = data["n"];
  const std::string& values = data.task.values;
  const View numbers = data.input<float>("numbers", {n});
  data.inout<float>("kept", {n});
  const View kept = data.expected_of("kept");
  const View count = data.output<std::int32_t>("count", {1});
  const std::uint64_t seed = stream_of(data.task.seed, "kept");
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    const bool is_kept = values == "compact-all" || (values == "compact-some" && bits % 3 != 0);
    const auto magnitude = static_cast<double>(bits >> 42);
    numbers(i) = is_kept ? 1 + magnitude : bits % 2 ? 0.0 : -magnitude;
    if (is_kept) kept(found++) = numbers(i);
  }
  count(0) = found;
}

static void make(Dataset& data) { is_of_compaction(data) ? make_compaction(data) : make_sums(data); }

// Parts 3 and 4 also get one word for the tickets and one for each tile. They are 0 before each launch.
static void declare_words(Dataset& data) {
  data.scratch<std::uint64_t>("words", {data["n"] / LEAST_TILE + 2});
}

// Blocks of parts 3 and 4 look back.
static bool waits(const Dataset& data) { return is_of_all(data) || is_of_compaction(data); }

static void make_with_words(Dataset& data) {
  make(data);
  if (waits(data)) declare_words(data);
}

static unsigned long long* cleared_words(const DeviceArrays& on_device, const Dataset& data) {
  auto* const words = on_device.write<std::uint64_t>("words");
  check(cudaMemset(words, 0, data.array("words").count() * sizeof *words), "clearing the words");
  return reinterpret_cast<unsigned long long*>(words);
}

// Launches the kernel of the case's part: one block for each segment, or for each tile.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  const auto* const numbers = on_device.read<float>("numbers");
  if (is_of_compaction(data)) {
    kernels["compact_positive"].launch(Extent{n}, numbers, on_device.write<float>("kept"),
                                       on_device.write<std::int32_t>("count"), n,
                                       cleared_words(on_device, data));
  } else if (is_of_all(data)) {
    kernels["scan_all"].launch(Extent{n}, numbers, on_device.write<float>("sums"), n,
                               cleared_words(on_device, data));
  } else {
    const char* const name = data.task.values.starts_with("kogge-stone") ? "kogge_stone" : "work_efficient";
    kernels[name].launch(Extent{(n + SEGMENT - 1) / SEGMENT}, numbers, on_device.write<float>("sums"), n);
  }
}

// Runs one case on the device and returns the outcome.
static Outcome scan(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the numbers there.
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to its results and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the results back and compare them. How many numbers are kept, the last one, may say what is wrong
  // with the others.
  const HostArrays results = on_device.copy_back();
  const std::int64_t tile = kernels["compact_positive"].shape().outputs[0];
  std::optional<Pattern> named;
  const auto own = [&](const WrongResult& wrong) { return named = mistake(wrong, tile); };
  const Outcome outcome = compare(data, {results.rbegin(), results.rend()}, kernels, own);
  return named ? outcome : compare(data, results, kernels, own);
}

int main(int argc, char** argv) {
  return run_lab({.make = make_with_words, .launch = launch, .run = scan, .waits = waits}, argc, argv);
}
