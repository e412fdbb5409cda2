#include "matrix_product.hpp"

#include <algorithm>
#include <cmath>

#include "arrays/random_values.hpp"

namespace warpgrade::harness {

ExactRow::ExactRow(const Matrix<const float>& A, const Matrix<const float>& B, int row)
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

namespace {

// No zeros: a factor of 0 would hide an error in the other factor.
float random_factor(std::uint64_t bits, bool wide, std::uint64_t smalls) {
  const float magnitude = static_cast<float>(wide ? 4097 + 2 * (bits & 2047) : 1 + bits % smalls);
  return bits >> 63 ? -magnitude : magnitude;
}

}  // namespace

void fill_matrix(Matrix<float> matrix, const std::string& values, std::uint64_t seed, InputMatrix which) {
  const std::uint64_t stream = mix_bits(seed ^ mix_bits(static_cast<std::uint64_t>(which)));
  const bool is_A = which == InputMatrix::A;
  const int k = is_A ? matrix.columns : matrix.rows;
  const bool can_be_wide = k <= 2048;  // 2048 · 8191 is below 2^24
  const std::uint64_t smalls = can_be_wide ? static_cast<std::uint64_t>(std::clamp(2048 / k, 1, 8)) : 8;
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column) {
      const std::uint64_t index =
          static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(matrix.columns) +
          static_cast<std::uint64_t>(column);
      const std::uint64_t bits = random_bits(stream, index);
      const bool wide = can_be_wide && (is_A ? column % 2 == 0 : row % 2 == 1);
      matrix.at(row, column) = values == "integers" ? random_factor(bits, wide, smalls)
                                                    : static_cast<float>(random_fraction(bits));
    }
}

double product_tolerance(const std::string& values, double bound) {
  return values == "integers" ? 0.0 : rounding_tolerance(ElementType::f32, bound);
}

void declare_product(Dataset& data) {
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  data.add(make_array("A", ElementType::f32, {m, k}, Role::input));
  data.add(make_array("B", ElementType::f32, {k, n}, Role::input));
  data.output<float>("C", {m, n});
}

void fill_product(Dataset& data) {
  fill_matrix(matrix_of<float>(data.array("A")), data.task.values, data.task.seed, InputMatrix::A);
  fill_matrix(matrix_of<float>(data.array("B")), data.task.values, data.task.seed, InputMatrix::B);
}

void make_product(Dataset& data) {
  declare_product(data);
  fill_product(data);
  const auto A = matrix_of<float>(std::as_const(data).array("A"));
  const auto B = matrix_of<float>(std::as_const(data).array("B"));
  Expected& C = data.expected("C");
  for (int row = 0; row < A.rows; ++row) {
    const ExactRow exact(A, B, row);
    const std::size_t start = static_cast<std::size_t>(row) * exact.product.size();
    for (std::size_t column = 0; column < exact.product.size(); ++column)
      C.set(start + column, exact.product[column], product_tolerance(data.task.values, exact.bound[column]));
  }
}

double partial_sum(const Dataset& data, int row, int column, int count) {
  const auto A = matrix_of<float>(data.array("A")), B = matrix_of<float>(data.array("B"));
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += static_cast<double>(A.at(row, i)) * static_cast<double>(B.at(i, column));
  return sum;
}

namespace {

// The number of first products whose sum is every wrong element; 0 if there is no such number.
int products_in_all(const WrongResult& q) {
  constexpr std::size_t enough = 4;    // one small sum may match by chance
  constexpr std::size_t sample = 256;  // elements to test: a number that fits all of these is no accident
  if (q.wrong.size() < enough) return 0;
  const auto end = q.wrong.begin() + static_cast<std::ptrdiff_t>(std::min(sample, q.wrong.size()));
  const auto columns = static_cast<std::size_t>(q.result.shape[1]);
  const Expected& expected = q.data.expected(q.result.name);
  for (int count = q.data.as_int("k") - 1; count > 0; --count) {
    const bool fits = std::all_of(q.wrong.begin(), end, [&](std::size_t i) {
      const double sum =
          partial_sum(q.data, static_cast<int>(i / columns), static_cast<int>(i % columns), count);
      return is_close(q.result.at(i).value, sum, expected.tolerance_of(i));
    });
    if (fits) return count;
  }
  return 0;
}

}  // namespace

std::optional<Pattern> missing_phases(const WrongResult& q) {
  const int products = products_in_all(q);
  if (products == 0) return {};
  const std::string k = std::to_string(q.data.as_int("k"));
  Pattern pattern = of_values("from-phase", "is the sum of only the first " + std::to_string(products) +
                                                " of its " + k + " products");
  // Too many right ones for chance: a loop that ends early would have spoilt them, too.
  const std::size_t right = q.result.count() - q.wrong.size();
  if (32 * right > q.result.count()) {
    pattern.words +=
        ", and others have all: what some threads load for the rest counts as 0 there, or is overwritten. "
        "Look "
        "at the condition of each load, and at the tile that gets the zero";
    return pattern;
  }
  const int deep = q.shape() ? q.shape()->outputs[0] : 1;
  const bool is_rounded = q.data.as_int("k") / deep * deep == products;
  const bool is_one_less = products + deep == q.data.as_int("k");
  for (const char* other : {"m", "n"})
    if (!is_rounded && q.data.as_int(other) == products && q.data.as_int("m") != q.data.as_int("n"))
      pattern.words += std::string(": as many as ") + other + " says, where k should" +
                       (is_one_less ? ", or all but the last phase" : "");
  if (!q.shape()) return pattern;
  const bool square = q.shape()->one_output_each() && q.shape()->outputs[0] == q.shape()->outputs[1];
  if (square && products % deep == 0) {
    pattern.phase = products / deep;
    pattern.words += ", so everything from phase " + std::to_string(*pattern.phase) +
                     " on is missing (tiles of " + std::to_string(deep) + ", counted from 0)";
    if (is_rounded) pattern.words += ", as if the number of phases were rounded down";
  }
  return pattern;
}

}  // namespace warpgrade::harness
