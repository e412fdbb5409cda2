#include "spot_check.hpp"

#include <cmath>
#include <set>

#include "oracle.hpp"
#include "random_values.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::uint64_t spot_rows = 16;

std::set<int> chosen_rows(int m, std::uint64_t seed) {
  std::set<int> rows = {0, m - 1};
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

Outcome wrong(int row, int column, const std::string& what) {
  const std::string element =
      "C[" + std::to_string(row) + "][" + std::to_string(column) + "] of a timed run ";
  return Outcome::failure(Status::wrong_answer, element + what + ".");
}

}  // namespace

Outcome spot_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C,
                   std::uint64_t seed) {
  if (auto fault = C.fault()) return *fault;
  const Matrix<float> result = C.copy_back();
  for (int row = 0; row < result.rows; ++row)
    for (int column = 0; column < result.columns; ++column)
      if (is_never_written(result.at(row, column))) return wrong(row, column, "was never written");
  for (const int row : chosen_rows(result.rows, seed)) {
    const ExactRow exact(A, B, row);
    for (int column = 0; column < result.columns; ++column) {
      const auto i = static_cast<std::size_t>(column);
      if (!is_close(result.at(row, column), exact.product[i], tolerance(Values::zero_mean, exact.bound[i])))
        return wrong(row, column,
                     "is " + std::to_string(result.at(row, column)) + ", but should be " +
                         std::to_string(exact.product[i]));
    }
  }
  return {};
}

}  // namespace warpgrade::harness
