#include "spot_check.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "oracle.hpp"
#include "random_values.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::uint64_t spot_rows = 16;
// Smaller results are recomputed completely, which takes a tenth of a second.
constexpr double few_operations = 1 << 27;

bool is_small(const Matrix<float>& A, const Matrix<float>& B) {
  return static_cast<double>(A.rows) * A.columns * B.columns <= few_operations;
}

std::set<int> chosen_rows(const Matrix<float>& A, const Matrix<float>& B, std::uint64_t seed) {
  const int m = A.rows;
  std::set<int> rows = {0, m - 1};
  for (int row = 0; is_small(A, B) && row < m; ++row) rows.insert(row);
  for (std::uint64_t i = 0; i < spot_rows; ++i)
    rows.insert(static_cast<int>(random_bits(seed, i) % static_cast<std::uint64_t>(m)));
  return rows;
}

// Row `row` of A·B and of |A|·|B|.
struct ExactRow {
  ExactRow(const Matrix<float>& A, const Matrix<float>& B, int row)
      : product(static_cast<std::size_t>(B.columns)), bound(product.size()) {
    for (int i = 0; i < A.columns; ++i) {
      const double a = static_cast<double>(A.at(row, i));
      for (int column = 0; column < B.columns; ++column) {
        const double term = a * static_cast<double>(B.at(i, column));
        product[static_cast<std::size_t>(column)] += term;
        bound[static_cast<std::size_t>(column)] += std::fabs(term);
      }
    }
  }
  std::vector<double> product;
  std::vector<double> bound;
};

// Independent partial sums: in a single sum, each addition waits for the one before.
constexpr std::size_t side_by_side = 8;

// For each row, the sum of `matrix` times `vector`, and the sum of the absolute products.
struct Sums {
  Sums(const Matrix<float>& matrix, const std::vector<double>& vector, const std::vector<double>& sizes)
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

Outcome wrong(int row, int column, const std::string& what) {
  const std::string element =
      "C[" + std::to_string(row) + "][" + std::to_string(column) + "] of a timed run ";
  return Outcome::failure(Status::wrong_answer, element + what + ".");
}

}  // namespace

// Freivalds' method: C·x = A·(B·x) for signs x that the kernel cannot know. Each element of C weighs as
// much as its error; only errors as small as roundings escape in the sum of a row.
Outcome sum_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed) {
  const Matrix<float> result = C.copy_back();
  std::vector<double> signs(static_cast<std::size_t>(result.columns));
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = random_bits(~seed, i) % 2 ? 1.0 : -1.0;
  const std::vector<double> ones(signs.size(), 1.0);

  const Sums of_B(B, signs, ones);
  const Sums expected(A, of_B.exact, of_B.bound);
  const Sums got(result, signs, ones);
  for (int row = 0; row < result.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (!(std::fabs(got.exact[i] - expected.exact[i]) <= tolerance(Values::zero_mean, expected.bound[i])))
      return Outcome::failure(Status::wrong_answer,
                              "Row " + std::to_string(row) + " of a timed run is not right.");
  }
  return {};
}

Outcome spot_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C,
                   std::uint64_t seed) {
  if (auto fault = C.fault()) return *fault;
  const Matrix<float> result = C.copy_back();
  for (int row = 0; row < result.rows; ++row)
    for (int column = 0; column < result.columns; ++column)
      if (is_never_written(result.at(row, column))) return wrong(row, column, "was never written");
  for (const int row : chosen_rows(A, B, seed)) {
    const ExactRow exact(A, B, row);
    for (int column = 0; column < result.columns; ++column) {
      const auto i = static_cast<std::size_t>(column);
      if (!is_close(result.at(row, column), exact.product[i], tolerance(Values::zero_mean, exact.bound[i])))
        return wrong(row, column,
                     "is " + std::to_string(result.at(row, column)) + ", but should be " +
                         std::to_string(exact.product[i]));
    }
  }
  return is_small(A, B) ? Outcome{} : sum_check(A, B, C, seed);
}

}  // namespace warpgrade::harness
