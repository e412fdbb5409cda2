// Lab 14, the host half: what a program does around the kernels that you write.
#include <string>
#include <vector>

#include "base/emulator.hpp"
#include "floats.hpp"
#include "lab.hpp"
#include "matrix_rounds.hpp"
#include "mistakes.hpp"

using namespace warpgrade::harness;

// "wmma-…" is a case of part 1, "mma-…" one of part 2; the rest says which values a matrix has.
static bool is_of_wmma(const std::string& values) { return values.starts_with("wmma-"); }
static bool are_integers(const std::string& values) { return values.ends_with("-integers"); }

// A factor that half precision holds, and none with fewer bits. Of whole numbers, one factor of each product
// has 11 bits and the other one is small, so that no sum up to k = 1024 exceeds 2^24: in single precision it
// is exact in any order, in half precision it is not. Fractions are multiples of 2^-10 in (−1, 1).
static double factor(const Dataset& data, InputMatrix which, std::int64_t depth, std::uint64_t index) {
  const std::uint64_t bits =
      random_bits(mix_bits(data.task.seed ^ mix_bits(static_cast<std::uint64_t>(which))), index);
  const double sign = bits >> 63 ? -1 : 1;
  if (!are_integers(data.task.values)) return sign * static_cast<double>(1 + (bits & 1023)) / 1024;
  const bool is_wide = (depth % 2 == 0) == (which == InputMatrix::A);
  return sign * static_cast<double>(is_wide ? 1025 + 2 * (bits & 511) : 1 + bits % 8);
}

static void fill(const Dataset& data, Array& matrix, InputMatrix which) {
  const std::int64_t columns = matrix.shape[1];
  Float16* const halves = matrix.data<Float16>();
  for (std::size_t i = 0; i < matrix.count(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const std::int64_t depth = which == InputMatrix::A ? index % columns : index / columns;
    halves[i] = Float16(factor(data, which, depth, i));
  }
}

static void declare(Dataset& data) {
  const std::int64_t m = data["m"], n = data["n"], k = data["k"];
  data.add(make_array("A", ElementType::half, {m, k}, Role::input));
  data.add(make_array("B", ElementType::half, {k, n}, Role::input));
  data.output<float>("C", {m, n});
  fill(data, data.array("A"), InputMatrix::A);
  fill(data, data.array("B"), InputMatrix::B);
}

// The matrices and their exact product.
static void make(Dataset& data) {
  declare(data);
  const Floats A(data.array("A")), B(data.array("B"));
  const std::string values = are_integers(data.task.values) ? "integers" : "zero-mean";
  Expected& C = data.expected("C");
  for (int row = 0; row < A.matrix().rows; ++row) {
    const ExactRow exact(A.matrix(), B.matrix(), row);
    const std::size_t start = static_cast<std::size_t>(row) * exact.product.size();
    for (std::size_t column = 0; column < exact.product.size(); ++column)
      C.set(start + column, exact.product[column], product_tolerance(values, exact.bound[column]));
  }
}

// Launches the kernel of the case's part, with as many blocks as it takes to cover C.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const char* const name = is_of_wmma(data.task.values) ? "product_wmma" : "product_mma";
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  kernels[name].launch(Extent{n, m}, on_device.read<Float16>("A"), on_device.read<Float16>("B"),
                       on_device.write<float>("C"), m, n, k);
}

// Runs one case on the device and returns the outcome.
static Outcome multiply(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the matrices there; C starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy C back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

// Timed rounds: new values by a copy from a longer sequence, and checks of some rows and of the sums of all.
class Rounds : public TimedRounds {
 public:
  explicit Rounds(const Dataset& data) {
    for (const char* name : {"A", "B"}) {
      const Array& matrix = data.array(name);
      const Float16* const halves = matrix.data<Float16>();
      std::vector<Float16>& pool = pools_.emplace_back(halves, halves + matrix.count());
      // On the emulator there is only one round.
      if (!emulator::present())
        pool.insert(pool.end(), halves, halves + std::min<std::size_t>(matrix.count(), 4096));
    }
  }

  void refresh(Dataset& data, std::uint64_t seed) override {
    for (std::size_t which = 0; which < pools_.size(); ++which) {
      Array& matrix = data.array(which == 0 ? "A" : "B");
      const std::size_t places = pools_[which].size() - matrix.count() + 1;
      const auto first = static_cast<std::ptrdiff_t>(random_bits(seed, which) % places);
      std::copy_n(pools_[which].begin() + first, matrix.count(), matrix.data<Float16>());
    }
  }

  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                 bool closely) override {
    if (closely)
      if (auto fault = after.first_fault_of_outputs()) return *fault;
    const HostArrays results = after.results();
    const Floats A(data.array("A")), B(data.array("B"));
    return (closely ? spot_check : sum_check)(A.matrix(), B.matrix(),
                                              matrix_of<float>(result_of(results, "C")), seed);
  }

 private:
  std::vector<std::vector<Float16>> pools_;
};

static std::unique_ptr<TimedRounds> rounds(Dataset& data) {
  declare(data);
  return std::make_unique<Rounds>(data);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = multiply, .rounds = rounds}, argc, argv);
}
