#include "matrix_rounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/emulator.hpp"

namespace warpgrade::harness {
namespace {

// --- checks ----------------------------------------------------------------------------------------------

constexpr std::uint64_t spot_rows = 16;
// Smaller results are recomputed completely, which takes a tenth of a second.
constexpr double few_operations = 1 << 27;

bool is_small(const Matrix<const float>& A, const Matrix<const float>& B) {
  return static_cast<double>(A.rows) * A.columns * B.columns <= few_operations;
}

std::set<int> chosen_rows(const Matrix<const float>& A, const Matrix<const float>& B, std::uint64_t seed) {
  const int m = A.rows;
  std::set<int> rows = {0, m - 1};
  for (int row = 0; is_small(A, B) && row < m; ++row) rows.insert(row);
  for (std::uint64_t i = 0; i < spot_rows; ++i)
    rows.insert(static_cast<int>(random_bits(seed, i) % static_cast<std::uint64_t>(m)));
  return rows;
}

// Independent partial sums: in a single sum, each addition waits for the one before.
constexpr std::size_t side_by_side = 8;

// For each row, the sum of `matrix` times `vector`, and the sum of the absolute products.
struct Sums {
  Sums(const Matrix<const float>& matrix, const std::vector<double>& vector, const std::vector<double>& sizes)
      : exact(static_cast<std::size_t>(matrix.rows)), bound(exact.size()) {
    const auto width = static_cast<std::size_t>(matrix.columns);
    for (std::size_t row = 0; row < exact.size(); ++row) {
      const float* values = &matrix.values[row * width];
      std::array<double, side_by_side> sum = {};
      std::array<double, side_by_side> size = {};
      const auto add = [&](std::size_t i, std::size_t side) {
        const double value = static_cast<double>(values[i]);
        sum[side] += value * vector[i];
        size[side] += std::fabs(value) * sizes[i];
      };
      std::size_t i = 0;
      for (; i + side_by_side <= width; i += side_by_side)
        for (std::size_t side = 0; side < side_by_side; ++side) add(i + side, side);
      for (; i < width; ++i) add(i, 0);
      exact[row] = std::accumulate(sum.begin(), sum.end(), 0.0);
      bound[row] = std::accumulate(size.begin(), size.end(), 0.0);
    }
  }
  std::vector<double> exact;
  std::vector<double> bound;
};

Outcome wrong_element(int row, int column, const std::string& what) {
  const std::string element =
      "C[" + std::to_string(row) + "][" + std::to_string(column) + "] of a timed run ";
  return Outcome::failure(Status::wrong_answer, element + what + ".");
}

}  // namespace

Outcome sum_check(const Matrix<const float>& A, const Matrix<const float>& B, const Matrix<const float>& C,
                  std::uint64_t seed) {
  std::vector<double> signs(static_cast<std::size_t>(C.columns));
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = random_bits(~seed, i) % 2 ? 1.0 : -1.0;
  const std::vector<double> ones(signs.size(), 1.0);

  const Sums of_B(B, signs, ones);
  const Sums expected(A, of_B.exact, of_B.bound);
  const Sums got(C, signs, ones);
  for (int row = 0; row < C.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (!(std::fabs(got.exact[i] - expected.exact[i]) <= product_tolerance("zero-mean", expected.bound[i])))
      return Outcome::failure(Status::wrong_answer,
                              "Row " + std::to_string(row) + " of a timed run is not right.");
  }
  return {};
}

Outcome spot_check(const Matrix<const float>& A, const Matrix<const float>& B, const Matrix<const float>& C,
                   std::uint64_t seed) {
  for (int row = 0; row < C.rows; ++row)
    for (int column = 0; column < C.columns; ++column)
      if (is_never_written(C.at(row, column))) return wrong_element(row, column, "was never written");
  for (const int row : chosen_rows(A, B, seed)) {
    const ExactRow exact(A, B, row);
    for (int column = 0; column < C.columns; ++column) {
      const auto i = static_cast<std::size_t>(column);
      if (!is_close(C.at(row, column), exact.product[i], product_tolerance("zero-mean", exact.bound[i])))
        return wrong_element(row, column,
                             "is " + std::to_string(C.at(row, column)) + ", but should be " +
                                 std::to_string(exact.product[i]));
    }
  }
  return is_small(A, B) ? Outcome{} : sum_check(A, B, C, seed);
}

namespace {

// --- new values ------------------------------------------------------------------------------------------

// A matrix with new values in each round at the cost of a copy: a part of a longer sequence of random values,
// from an offset that a kernel cannot know.
class FreshMatrix {
 public:
  FreshMatrix(int rows, int columns, std::uint64_t seed, InputMatrix which)
      : size_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {
    // On the emulator there is only one round.
    const std::size_t spare = emulator::present() ? 0 : std::clamp<std::size_t>(size_, 1 << 10, 1 << 20);
    pool_.resize(size_ + spare);
    fill_matrix({rows, columns, pool_.data()}, "zero-mean", seed, which);
    if (spare) fill_matrix({1, static_cast<int>(spare), &pool_[size_]}, "zero-mean", ~seed, which);
  }

  void draw(std::uint64_t seed, float* to) const {
    const std::size_t places = pool_.size() - size_ + 1;
    const auto first = pool_.begin() + static_cast<std::ptrdiff_t>(random_bits(seed, 1) % places);
    std::copy_n(first, size_, to);
  }

 private:
  std::size_t size_;
  std::vector<float> pool_;
};

class ProductRounds : public TimedRounds {
 public:
  explicit ProductRounds(const Dataset& data)
      : A_(data.as_int("m"), data.as_int("k"), data.task.seed, InputMatrix::A),
        B_(data.as_int("k"), data.as_int("n"), data.task.seed, InputMatrix::B) {}

  void refresh(Dataset& data, std::uint64_t seed) override {
    A_.draw(seed, data.array("A").data<float>());
    B_.draw(~seed, data.array("B").data<float>());
  }

  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                 bool closely) override {
    if (closely)
      if (auto fault = after.first_fault_of_outputs()) return *fault;
    const HostArrays results = after.results();
    return (closely ? spot_check : sum_check)(matrix_of<float>(data.array("A")),
                                              matrix_of<float>(data.array("B")),
                                              matrix_of<float>(result_of(results, "C")), seed);
  }

 private:
  FreshMatrix A_, B_;
};

}  // namespace

std::unique_ptr<TimedRounds> product_rounds(Dataset& data) {
  declare_product(data);
  auto rounds = std::make_unique<ProductRounds>(data);
  rounds->refresh(data, data.task.seed);
  return rounds;
}

}  // namespace warpgrade::harness
