// Lab 13, the host half: what a program does around the kernels that you repair.
#include <algorithm>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

static constexpr std::int64_t THREADS = 256, SEGMENT = 1024, BINS = 320;

static std::int64_t blocks_of(std::int64_t n) { return (n + THREADS - 1) / THREADS; }

// What comes out of the kernel of the case's part, for these numbers.
static std::vector<std::int64_t> results(const std::string& part, const std::vector<std::int64_t>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  std::vector<std::int64_t> y;
  if (part == "differences")
    for (std::int64_t i = 0; i < n; ++i) y.push_back(i + 1 < n ? at(i + 1) - at(i) : 0);
  if (part == "reverse")
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t first = i / THREADS * THREADS, last = std::min(first + THREADS, n) - 1;
      y.push_back(at(first + last - i));
    }
  if (part == "pair-sums")
    for (std::int64_t i = 0; i < n; ++i) y.push_back(at(i) + at(i ^ 1));
  if (part == "histogram") {
    y.resize(static_cast<std::size_t>((n + SEGMENT - 1) / SEGMENT * BINS));
    for (std::int64_t i = 0; i < n; ++i) ++y[static_cast<std::size_t>(i / SEGMENT * BINS + at(i))];
  }
  if (part == "sum-all") y.assign(1, 0);
  for (std::int64_t i = 0; part == "sum-all" && i < n; ++i) y[0] += at(i);
  if (part == "sums-so-far")
    for (std::int64_t i = 0, sum = 0; i < n; ++i) {
      sum += at(i);
      if ((i + 1) % THREADS == 0 || i + 1 == n) y.push_back(sum);
    }
  if (part == "tile-sums") {
    y.resize(static_cast<std::size_t>(blocks_of(n)));
    for (std::int64_t i = 0; i < n; ++i) y[static_cast<std::size_t>(i / THREADS)] += at(i);
  }
  if (part == "largest") {
    const auto largest = std::max_element(x.begin(), x.end());
    y = {*largest, largest - x.begin()};
  }
  return y;
}

// The numbers of a case, from 0 to BINS - 1; of the part "largest", from 1 to 9. The 9 stands last and, where
// the last block is not full, twice at the beginning of the second: there an index that is off by one, or a
// tie decided the wrong way, in a block or between blocks, shows.
static std::vector<std::int64_t> numbers_of(const Dataset& data) {
  const std::int64_t n = data["n"];
  const bool is_largest = data.task.values == "largest";
  const std::uint64_t seed = stream_of(data.task.seed, "numbers");
  std::vector<std::int64_t> x;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    x.push_back(is_largest ? static_cast<std::int64_t>(bits % 8) + 1
                           : static_cast<std::int64_t>(bits % BINS));
  }
  if (is_largest) x.back() = 9;
  if (is_largest && n > THREADS + 1 && n % THREADS != 0) x[THREADS] = x[THREADS + 1] = 9;
  return x;
}

// The numbers, and what must come out.
static void make(Dataset& data) {
  const std::string& part = data.task.values;
  const std::vector<std::int64_t> x = numbers_of(data);
  const auto n = static_cast<std::int64_t>(x.size());
  const View numbers = data.input<std::int32_t>("x", {n});
  for (std::int64_t i = 0; i < n; ++i) numbers(i) = x[static_cast<std::size_t>(i)];
  const std::vector<std::int64_t> expected = results(part, x);
  const View y = data.output<std::int32_t>("y", {static_cast<std::int64_t>(expected.size())});
  for (std::size_t i = 0; i < expected.size(); ++i) y(i) = expected[i];
  // Flags or parts of the blocks, and tickets or a lock, each under the name that its kernel gives it.
  data.scratch<std::uint32_t>("flags", {blocks_of(n)});
  data.scratch<std::int32_t>("parts", {blocks_of(n)});
  data.scratch<std::uint32_t>(part == "largest" ? "lock" : "tickets", {1});
}

// The address of an array, whose elements are set to 0.
template <class T>
static T* cleared(const DeviceArrays& on_device, const Dataset& data, const char* name) {
  T* const memory = on_device.write<T>(name);
  check(cudaMemset(memory, 0, data.array(name).count() * sizeof(T)), "clearing memory");
  return memory;
}

// Launches the kernel of the case's part.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  const std::string& part = data.task.values;
  const auto* const x = on_device.read<std::int32_t>("x");
  auto* const y = on_device.write<std::int32_t>("y");
  const Extent all{n};
  if (part == "differences") kernels["next_differences"].launch(all, x, y, n);
  if (part == "reverse") kernels["reverse_tiles"].launch(all, x, y, n);
  if (part == "pair-sums") kernels["partner_sums"].launch(all, x, y, n);
  if (part == "histogram") kernels["histogram"].launch(all, x, y, n);
  if (part == "tile-sums") kernels["tile_sums"].launch(all, x, y, n);
  if (part == "sum-all")
    kernels["sum_all"].launch(all, x, y, n, on_device.write<std::int32_t>("parts"),
                              cleared<std::uint32_t>(on_device, data, "tickets"));
  if (part == "sums-so-far")
    kernels["sums_so_far"].launch(all, x, y, n, cleared<std::uint32_t>(on_device, data, "flags"),
                                  cleared<std::uint32_t>(on_device, data, "tickets"));
  if (part == "largest")
    kernels["largest_number"].launch(all, x, cleared<std::int32_t>(on_device, data, "y"), n,
                                     cleared<std::uint32_t>(on_device, data, "lock"));
}

// The last number has a difference, though nothing comes after it.
static std::optional<Pattern> mistake_in_differences(const WrongResult& q) {
  if (q.wrong != std::vector<std::size_t>{q.result.count() - 1}) return {};
  return of_values("last-without-next", "is the last number's: nothing comes after it, and 0 is asked for");
}

// All numbers of the last tile are wrong, which is not full.
static std::optional<Pattern> mistake_in_reversed(const WrongResult& q) {
  const auto threads = static_cast<std::size_t>(THREADS);
  const std::size_t count = q.result.count(), first = count / threads * threads;
  if (first == count || !q.all([=](std::size_t i) { return i >= first; })) return {};
  return of_values("tile-taken-as-full", "is of the last tile, which has only " +
                                             std::to_string(count - first) +
                                             " numbers: its last place is their number less 1");
}

static std::optional<Pattern> mistake_in_pairs(const WrongResult& q) {
  const Array& x = q.data.array("x");
  std::vector<Hypothesis> found;
  for (const std::size_t bits : {2, 3, 4, 8, 16, 32})
    found.push_back({"other-partner",
                     "is the sum with the number at threadIdx.x ^ " + std::to_string(bits) +
                         ": the partner is the one beside it, threadIdx.x ^ 1",
                     [=, &x](std::size_t i) {
                       const std::size_t other = i ^ bits;
                       return other < x.count() ? x.at(i).value + x.at(other).value : q.result.at(i).value;
                     }});
  found.push_back({"own-twice", "is twice its own number: the partner's belongs in one of the two places",
                   [&x](std::size_t i) { return 2 * x.at(i).value; }});
  return explained(q, found);
}

// The largest number stands in several places.
static std::optional<Pattern> mistake_in_largest(const WrongResult& q) {
  if (q.wrong != std::vector<std::size_t>{1}) return {};
  const Array& x = q.data.array("x");
  const double place = q.result.at(1).value;
  const bool is_place = place >= 0 && place < static_cast<double>(x.count());
  if (!is_place || x.at(static_cast<std::size_t>(place)).value != q.data.expected("y").at(0).value())
    return {};
  return of_values(
      "later-of-equals",
      "is a place where the largest number stands, but not the first: of equal numbers the one with "
      "the smaller place counts, within a block and between blocks");
}

// The mistake that explains all wrong numbers, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const std::string& part = q.data.task.values;
  if (part == "differences") return mistake_in_differences(q);
  if (part == "reverse") return mistake_in_reversed(q);
  if (part == "pair-sums") return mistake_in_pairs(q);
  return part == "largest" ? mistake_in_largest(q) : std::nullopt;
}

// Runs one case on the device and returns the outcome.
static Outcome run(const Dataset& data, const Kernels& kernels) {
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to what it is given to write to, and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;
  return compare(data, on_device.copy_back(), kernels, mistake);
}

// Blocks that hand something on, or take turns by a lock, wait for each other.
static bool waits(const Dataset& data) {
  return data.task.values == "sums-so-far" || data.task.values == "largest" || data.task.values == "sum-all";
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = run, .waits = waits}, argc, argv);
}
