// Lab 15, the host half: what a program does around the kernels that you write.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/emulator.hpp"
#include "lab.hpp"
#include "mistakes.hpp"
#include "softmax.hpp"

using namespace warpgrade::harness;

// --- softmax of rows -------------------------------------------------------------------------------------

// "large": exponentials that no float holds, in either direction, and in some rows an element far above all
// others. "masked": before some column, most elements of a row are -infinity.
static double element(const Dataset& data, std::int64_t row, std::int64_t column, double fraction) {
  const std::uint64_t bits = random_bits(data.task.seed, static_cast<std::uint64_t>(row));
  if (has(data, "-large")) {
    const double peak = row % 3 == 2 && column == 513 ? 120 : 0;  // more than 88 above all, whatever the seed
    return (row % 2 == 0 ? 1 : -1) * static_cast<double>(100 + bits % 20000) + 8 * fraction + peak;
  }
  const std::int64_t columns = data["columns"];
  if (has(data, "-masked") && column < columns * 3 / 4 && column % 97 != row) return -infinity;
  return 8 * fraction;
}

static void declare_rows(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"];
  data.input<float>("x", {rows, columns});
  data.output<float>("y", {rows, columns});
  float* x = data.array("x").data<float>();
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column, ++x)
      *x = static_cast<float>(element(data, row, column, static_cast<double>(*x)));
}

static void make_rows(Dataset& data) {
  declare_rows(data);
  const std::int64_t rows = data["rows"], columns = data["columns"];
  const float* x = data.array("x").data<float>();
  const View y = data.expected_of("y");
  for (std::int64_t row = 0; row < rows; ++row, x += columns) {
    const RowSums sums(x, static_cast<std::size_t>(columns));
    for (std::int64_t column = 0; column < columns; ++column)
      y(row, column) = sums.quotient(static_cast<double>(x[column]));
  }
}

// --- attention -------------------------------------------------------------------------------------------

// "large": scores whose exponentials no float holds.
static void declare_attention(Dataset& data) {
  const std::int64_t queries = data["rows"], keys = data["columns"], depth = data["depth"];
  data.input<float>("Q", {queries, depth});
  data.input<float>("K", {keys, depth});
  data.input<float>("V", {keys, depth});
  data.output<float>("O", {queries, depth});
  const float scale = has(data, "-large") ? 64.0f : 2.0f;
  for (const char* name : {"Q", "K"}) {
    float* const values = data.array(name).data<float>();
    for (std::size_t i = 0; i < data.array(name).count(); ++i) values[i] *= scale;
  }
}

static void make_attention(Dataset& data) {
  declare_attention(data);
  const View O = data.expected_of("O");
  for (std::int64_t row = 0; row < data["rows"]; ++row) {
    const Query query(data, row);
    for (std::int64_t column = 0; column < data["depth"]; ++column) O(row, column) = query.exact(column);
  }
}

static void make(Dataset& data) { is_attention(data) ? make_attention(data) : make_rows(data); }

// Launches the kernel of the case's part, with as many blocks as it takes to cover the result.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int rows = data.as_int("rows"), columns = data.as_int("columns");
  if (is_attention(data)) {
    kernels["attention_tiles"].launch(Extent{data.as_int("depth"), rows}, on_device.read<float>("Q"),
                                      on_device.read<float>("K"), on_device.read<float>("V"),
                                      on_device.write<float>("O"), rows, columns);
    return;
  }
  const char* const name = data.task.values.starts_with("passes") ? "softmax_passes" : "softmax_online";
  kernels[name].launch(Extent{rows}, on_device.read<float>("x"), on_device.write<float>("y"), rows, columns);
}

// Runs one case on the device and returns the outcome.
static Outcome run(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the inputs there; the result starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the result and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

// --- timed rounds ----------------------------------------------------------------------------------------

// New values by a copy from a longer sequence; some rows are checked, as all of them would take a second.
class Rounds : public TimedRounds {
 public:
  explicit Rounds(const Dataset& data) {
    for (const Array& array : data.arrays()) {
      if (array.role != Role::input) continue;
      const float* const values = array.data<float>();
      names_.push_back(array.name);
      std::vector<float>& pool = pools_.emplace_back(values, values + array.count());
      // On the emulator there is only one round.
      if (!emulator::present())
        pool.insert(pool.end(), values, values + std::min<std::size_t>(array.count(), 4096));
    }
  }

  void refresh(Dataset& data, std::uint64_t seed) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Array& array = data.array(names_[i]);
      const std::size_t places = pools_[i].size() - array.count() + 1;
      const auto first = static_cast<std::ptrdiff_t>(random_bits(seed, i) % places);
      std::copy_n(pools_[i].begin() + first, array.count(), array.data<float>());
    }
  }

  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                 bool closely) override {
    if (closely)
      if (auto fault = after.first_fault_of_outputs()) return *fault;
    const HostArrays results = after.results();
    const Array& result = result_of(results, is_attention(data) ? "O" : "y");
    const std::int64_t rows = result.shape[0], columns = result.shape[1];
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (!std::isfinite(result.data<float>()[row * columns + column])) return wrong(row, column);
    for (std::uint64_t i = 0; i < (closely ? 64 : 8); ++i) {
      const auto row =
          static_cast<std::int64_t>(random_bits(seed, 100 + i) % static_cast<std::uint64_t>(rows));
      if (const auto fault = wrong_in_row(data, result, row)) return *fault;
    }
    return {};
  }

 private:
  static Outcome wrong(std::int64_t row, std::int64_t column) {
    return Outcome::failure(
        Status::wrong_answer,
        "Element [" + std::to_string(row) + "][" + std::to_string(column) + "] of a timed run is not right.");
  }
  static std::optional<Outcome> wrong_in_row(const Dataset& data, const Array& result, std::int64_t row) {
    const std::int64_t columns = result.shape[1];
    const float* const found = result.data<float>() + row * columns;
    std::vector<Number> wanted;
    if (is_attention(data)) {
      const Query query(data, row);
      for (std::int64_t column = 0; column < columns; ++column) wanted.push_back(query.exact(column));
    } else {
      const float* const x = data.array("x").data<float>() + row * columns;
      const RowSums sums(x, static_cast<std::size_t>(columns));
      for (std::int64_t column = 0; column < columns; ++column)
        wanted.push_back(sums.quotient(static_cast<double>(x[column])));
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      const Number& number = wanted[static_cast<std::size_t>(column)];
      if (!is_close(static_cast<double>(found[column]), number.value(), number.tolerance(ElementType::f32)))
        return wrong(row, column);
    }
    return std::nullopt;
  }

  std::vector<std::string> names_;
  std::vector<std::vector<float>> pools_;
};

static std::unique_ptr<TimedRounds> rounds(Dataset& data) {
  is_attention(data) ? declare_attention(data) : declare_rows(data);
  return std::make_unique<Rounds>(data);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = run, .rounds = rounds}, argc, argv);
}
