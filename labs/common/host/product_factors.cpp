#include "product_factors.hpp"

#include <utility>

namespace warpgrade::harness {
namespace {

int tile_of(const WrongResult& q) {
  const LaunchShape* shape = q.shape();
  const bool is_square = shape && shape->one_output_each() && shape->outputs[0] == shape->outputs[1];
  return is_square ? shape->outputs[0] : 0;
}

}  // namespace

ProductFactors::ProductFactors(const WrongResult& q)
    : A_(matrix_of<float>(q.data.array("A"))),
      B_(matrix_of<float>(q.data.array("B"))),
      n_(static_cast<std::size_t>(B_.columns)),
      shape_(q.shape()),
      tile_(tile_of(q)) {}

double ProductFactors::at(const Matrix<const float>& matrix, int row, int column) {
  const bool inside = 0 <= row && row < matrix.rows && 0 <= column && column < matrix.columns;
  return inside ? static_cast<double>(matrix.at(row, column)) : 0.0;
}

double ProductFactors::flat(const Matrix<const float>& matrix, std::int64_t index) {
  const bool inside = 0 <= index && static_cast<std::size_t>(index) < matrix.size();
  return inside ? static_cast<double>(matrix.values[index]) : 0.0;
}

ProductFactors::Factor ProductFactors::a() const {
  return [A = A_](int row, int, int i) { return at(A, row, i); };
}

ProductFactors::Factor ProductFactors::b() const {
  return [B = B_](int, int column, int i) { return at(B, i, column); };
}

Hypothesis ProductFactors::sum(const std::string& name, const std::string& words, Factor a, Factor b,
                               int first, int last, std::function<bool(int)> counts) const {
  return {name, words, [=, n = n_](std::size_t element) {
            const int row = static_cast<int>(element / n), column = static_cast<int>(element % n);
            double total = 0;
            for (int i = first; i < last; ++i)
              if (!counts || counts(i)) total += a(row, column, i) * b(row, column, i);
            return total;
          }};
}

Hypothesis ProductFactors::factors(const std::string& name, const std::string& words, Factor a,
                                   Factor b) const {
  return sum(name, words, std::move(a), std::move(b), 0, k());
}

Hypothesis ProductFactors::running(const std::string& name, const std::string& words,
                                   double (*step)(double, double, double)) const {
  return {name, words, [=, A = A_, B = B_, n = n_](std::size_t element) {
            const int row = static_cast<int>(element / n), column = static_cast<int>(element % n);
            double total = 0;
            for (int i = 0; i < A.columns; ++i) total = step(total, at(A, row, i), at(B, i, column));
            return total;
          }};
}

}  // namespace warpgrade::harness
